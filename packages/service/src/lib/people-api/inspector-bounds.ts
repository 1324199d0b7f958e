/** How many calls and events of a bot the inspector keeps, at most. */
export const inspectorBounds = { calls: 100, events: 100 } as const
