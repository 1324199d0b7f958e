/** The message budget of the bot at one moment (§8: 30 messages a minute, shared by all that it runs). */
export interface BudgetMeter {
  /** Slots in all; `Infinity` when the configuration says `messageBudget: false`. */
  limit: number
  /** Slots that are taken. */
  used: number
  /** Messages that wait for one. */
  waiting: number
  /** Until time alone frees a slot; 0 when one is free. */
  freeInMs: number
}
