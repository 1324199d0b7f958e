import type { PlantedFault } from './planted-fault.ts'

const folder = 'framework/src/features/functions'

/** Faults of functions, which the simulation of functions must find. */
export const functionFaults: readonly PlantedFault[] = [
  {
    name: 'a copy of an event webhook runs again',
    file: `${folder}/event-marks.ts`,
    from: 'if (await this.#store.set(key, first, { expected: 0, expiresAtMs })) return',
    to: 'if (await this.#store.set(key, first, { expiresAtMs })) return',
  },
  {
    name: 'an event that runs again in another invocation is not marked',
    file: `${folder}/event-marks.ts`,
    from: 'return { attempt, ...(mark.again && { again: true }) }',
    to: 'return { attempt: 1, ...(mark.again && { again: true }) }',
  },
  {
    name: 'the claim of a killed invocation stays',
    file: `${folder}/event-marks.ts`,
    from: "if (mark.untilMs > this.#clock.now()) return 'runs elsewhere'",
    to: "return 'runs elsewhere'",
  },
  {
    name: 'an event whose bot could not be loaded counts as done',
    file: `${folder}/event-marks.ts`,
    from: 'const free: Mark = { untilMs: 0, attempt: attempt - 1, again: true }',
    to: 'const free: Mark = { attempt: attempt - 1, again: true }',
  },
  {
    name: 'the marks of events never expire',
    file: `${folder}/event-marks.ts`,
    from: 'await this.#store.set(keyOf(event), done, { expiresAtMs: this.#clock.now() + KEPT_MS })',
    to: 'await this.#store.set(keyOf(event), done)',
  },
  {
    name: 'the position of functions passes events that are not done',
    file: `${folder}/catch-up-events.ts`,
    from: 'return this.#firstLeft === undefined ? position : { ...position, after: before(this.#firstLeft) }',
    to: 'return position',
  },
  {
    name: 'a scheduled run does not wait for an event of its channel in another invocation',
    file: `${folder}/catch-up-events.ts`,
    from: 'if (this.#blocked.has(laneKey(event)) || !(await this.#event(event))) {',
    to: 'if (!(await this.#event(event))) {',
  },
  {
    name: 'functions do not notice that the ids of events start again',
    file: `${folder}/catch-up-events.ts`,
    from: 'if (last < position.after) {',
    to: 'if (last < 0) {',
  },
  {
    name: 'a former event that was left sets the position in the new ids',
    file: `${folder}/catch-up-events.ts`,
    from: '        run = new CatchUp(host, rules)\n        continue',
    to: '        continue',
  },
  {
    name: 'a scheduled run that began before the ids started again saves its position',
    file: `${folder}/position.ts`,
    from: '(present) => present.era > position.era)',
    to: '() => false)',
  },
  {
    name: 'a new event counts as the former one with its id',
    file: `${folder}/event-marks.ts`,
    from: 'event.era = eraOf(event)',
    to: 'event.era = 0',
  },
  {
    name: 'a second scheduled run that notices new ids passes events that the first one has left',
    file: `${folder}/position.ts`,
    from: '(present) => present.era >= position.era)',
    to: '(present) => present.era > position.era)',
  },
  {
    name: 'a scheduled run leaves the events to webhooks',
    file: `${folder}/create-function-bot.ts`,
    from: '[register, catchUp, runTasks, runStoredRequests].map(',
    to: '[register, runTasks, runStoredRequests].map(',
  },
  {
    name: 'a scheduled run leaves stored requests',
    file: `${folder}/create-function-bot.ts`,
    from: '[register, catchUp, runTasks, runStoredRequests].map(',
    to: '[register, catchUp, runTasks].map(',
  },
  {
    name: 'functions do not acknowledge clicks',
    file: `${folder}/invocation.ts`,
    from: 'this.#acks.received(event, attempt > 1)',
    to: '',
  },
  {
    name: 'an invocation leaves the timer of its handlers',
    file: `${folder}/invocation.ts`,
    from: 'this.#runs.close()',
    to: '',
  },
  {
    name: 'a claim ends before its handler',
    file: `${folder}/invocation.ts`,
    from: 'const AROUND_MS = 30_000',
    to: 'const AROUND_MS = -70_000',
  },
  {
    name: 'invocations take the same slot of the message budget',
    file: `${folder}/store-limits.ts`,
    from: '{ expected: stored?.version ?? 0, expiresAtMs }',
    to: '{ expiresAtMs }',
  },
  {
    name: 'an event webhook is refused before it can be stored',
    file: 'events/src/lib/signed-events.ts',
    from: 'export const ANSWER_LIMIT_MS = 2500',
    to: 'export const ANSWER_LIMIT_MS = 20',
  },
  {
    name: 'functions do not check event webhooks',
    file: 'events/src/lib/signed-events.ts',
    from: 'if (!isSigned(this.#keys, body, signature)) {',
    to: 'if (body.length === 0) {',
  },
].map((fault) => ({ ...fault, bot: 'functions' as const }))
