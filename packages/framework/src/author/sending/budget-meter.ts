/** The bot's message budget at one moment (§8: 30 messages a minute, shared by all its handlers). */
export interface BudgetMeter {
  /** All slots; `Infinity` with `messageBudget: false`. */
  limit: number
  /** Used slots. */
  used: number
  /** Messages that wait for one. */
  waiting: number
  /** Milliseconds until a slot becomes free; 0 if one is free. */
  freeInMs: number
}
