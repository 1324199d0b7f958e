/** The whole number that a text writes in decimal digits; NaN for other texts, such as an empty one or `0x10`. */
export const wholeNumber = (text: string): number => (/^\d+$/.test(text) ? Number(text) : NaN)
