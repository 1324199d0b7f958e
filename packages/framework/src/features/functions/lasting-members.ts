/** Why functions cannot run members of `ctx` that need a process which lasts. The build finds their calls; others fail when they run. */
export const lastingMembers = {
  ask: 'waits for an answer that arrives in another invocation; ask with buttons, whose files handle the clicks',
  choose: 'waits for a click that arrives in another invocation; write a file in buttons/',
  clicked: 'waits for a click that arrives in another invocation; write a file in buttons/',
  broadcast: 'takes longer than an invocation; run this bot with framework start',
} as const

/** Workers end an invocation 30 s after its response. A handler may use this many; the rest is for its calls. */
export const workersHandlerSeconds = 20
