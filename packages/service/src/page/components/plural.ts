/** `1 member`, `2 members`. */
export const plural = (count: number, noun: string): string => `${count} ${count === 1 ? noun : `${noun}s`}`
