export const mark = '!'
