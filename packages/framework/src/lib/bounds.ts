/** The least and the greatest that something may be. */
export interface Bounds {
  min?: number
  max?: number
}

/** ` from 1 to 60`, ` of at least 1`, or nothing. */
export const rangeText = ({ min, max }: Bounds): string => {
  if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`
  if (min !== undefined) return ` of at least ${min}`
  return max === undefined ? '' : ` of at most ${max}`
}
