/** What lies under a name that begins so is being made, or never was finished: rescues, and git's shadow directories. */
export const makingPrefix = ".making-";
