/** How many calls and events of a bot the inspector keeps, at most. */
export const inspectorBounds = { calls: 100, events: 100 } as const

/** How many problems of the newest code of a bot the page shows, at most. */
export const problemBounds = { problems: 10 } as const

/** How much of a command the page shows, at most: the length of its texts, and its parts. */
export const helpBounds = { characters: 1000, choices: 200, args: 50, aliases: 50, examples: 20 } as const
