const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' })
const day = new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long' })
const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

/** 14:05 */
export const shortTime = (iso: string): string => clock.format(new Date(iso))
/** 21 Nov 2026, 14:05 */
export const longTime = (iso: string): string => full.format(new Date(iso))
/** Saturday 21 November */
export const dayName = (iso: string): string => day.format(new Date(iso))
export const sameDay = (a: string, b: string): boolean => new Date(a).toDateString() === new Date(b).toDateString()
