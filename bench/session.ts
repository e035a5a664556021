/** One board and any number of daemons for the length of one measurement; nothing of them is left afterwards. */
import { Board } from "./board.ts";
import { BatonDaemon, type DaemonOptions } from "./daemon.ts";
import { Place, type PlaceOptions } from "./place.ts";

export interface Session {
  readonly board: Board;
  /** A daemon in a place of its own, against this board. */
  readonly daemon: (
    options: Omit<PlaceOptions, "boardPort">,
    more?: Omit<DaemonOptions, "place">,
  ) => { readonly daemon: BatonDaemon; readonly place: Place };
  /** Another daemon where one was before. */
  readonly again: (place: Place, more?: Omit<DaemonOptions, "place">) => BatonDaemon;
}

/** Runs `measure` and clears away what it started, also when it fails. */
export async function session<T>(turnsToDone: number, measure: (session: Session) => Promise<T>): Promise<T> {
  const board = await Board.start(turnsToDone);
  const daemons: BatonDaemon[] = [];
  const places: Place[] = [];
  const again: Session["again"] = (place, more = {}) => {
    const daemon = new BatonDaemon({ ...more, place });
    daemons.push(daemon);
    return daemon;
  };
  try {
    return await measure({
      board,
      again,
      daemon: (options, more) => {
        const place = new Place({ ...options, boardPort: board.port });
        places.push(place);
        return { daemon: again(place, more), place };
      },
    });
  } finally {
    await Promise.all(daemons.map((daemon) => daemon.kill()));
    board.stop();
    for (const place of places) place.remove();
  }
}
