import { signal } from '@preact/signals'

/** Milliseconds by which the service's clock is ahead of this computer's: `framework clock` moves it. */
const aheadMs = signal(0)

/** Sets the service's time, in milliseconds since 1970. */
export const setServiceNow = (nowMs: number): void => {
  aheadMs.value = nowMs - Date.now()
}

/** The service's time in milliseconds since 1970. Compare the times of the service with this one only. A component that reads it renders again when the clock is moved. */
export const serviceNow = (): number => Date.now() + aheadMs.value

/** Whether a time of the service is still to come. */
export const isAhead = (iso: string): boolean => Date.parse(iso) > serviceNow()
