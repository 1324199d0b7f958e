/** `2026-11-25 14:00:05`, in the time zone of this computer. */
export const localTime = (ms: number): string =>
  new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 19).replace('T', ' ')

/** `2026-11-25 14:00:05 UTC+1`: a local time for readers who may be in another zone, or compare it with a time in UTC. */
export function zonedTime(ms: number): string {
  const minutes = -new Date(ms).getTimezoneOffset()
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  const offset = `${minutes < 0 ? '-' : '+'}${hours}${rest === 0 ? '' : `:${String(rest).padStart(2, '0')}`}`
  return `${localTime(ms)} UTC${minutes === 0 ? '' : offset}`
}
