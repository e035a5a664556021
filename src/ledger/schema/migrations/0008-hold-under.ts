/** Under which settings a hold was found: a start with others makes one run try. Of older holds nobody knows. */

export const holdUnder = `
ALTER TABLE holds ADD COLUMN under TEXT;
`;
