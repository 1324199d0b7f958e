/** Stands for the bot's database. */
const seasons = new Map([['spring', Array.from({ length: 61 }, (_, i) => `${i + 1}. player ${i + 1}`)]])

export const scores = (season: string): string[] => seasons.get(season) ?? []

export const setScores = (season: string, lines: string[]): unknown => seasons.set(season, lines)
