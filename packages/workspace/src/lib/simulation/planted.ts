/** A fault that a source gets back for a while: `from` occurs once in the file. */
export interface PlantedFault {
  name: string
  file: string
  from: string
  to: string
}

/** Faults that the runtime had, and others of their kinds. The simulation must find each of them. */
export const plantedFaults: readonly PlantedFault[] = [
  {
    name: 'a refused answer suppresses the ack of a click',
    file: 'framework/src/runtime/clicks/auto-ack.ts',
    from: 'if (this.#answers.answered(click.interactionId) ||',
    to: 'if (this.#answers.used(click.interactionId) > 0 ||',
  },
  {
    name: 'an answer under way suppresses the ack of a click',
    file: 'framework/src/runtime/clicks/auto-ack.ts',
    from: 'if (now < click.latestMs && this.#answers.answering(click.interactionId))',
    to: 'if (this.#answers.answering(click.interactionId))',
  },
  {
    name: 'clicks are dated by the clock of the host',
    file: 'framework/src/runtime/delivery/service-clock.ts',
    from: 'if (!Number.isFinite(atMs)) return',
    to: 'if (atMs !== 0) return',
  },
  {
    name: 'a repeated event is not marked',
    file: 'events/src/lib/intake.ts',
    from: 'new Delivery(event, attempts + 1, asked)',
    to: 'new Delivery(event, 1, asked)',
  },
  {
    name: 'the start of an event is not stored',
    file: 'events/src/lib/intake.ts',
    from: 'started: ready.map((queue) => queue.current!),',
    to: 'started: [],',
  },
  {
    name: 'the position passes events that have not ended',
    file: 'events/src/lib/received.ts',
    from: 'while (this.#head < order.length && !this.open.has(this.#keyOf(order[this.#head]!))) {',
    to: 'while (this.#head < order.length) {',
  },
  {
    name: 'events of a former era count as known',
    file: 'events/src/lib/received.ts',
    from: 'this.#seen.clear()',
    to: '',
  },
  {
    name: 'a stopping feed looks for work without end',
    file: 'events/src/lib/intake.ts',
    from: 'if (!this.#stopping && queues.hasReady &&',
    to: 'if (queues.hasReady &&',
  },
  {
    name: 'an event whose run cannot be read counts as finished when the bot stops',
    file: 'framework/src/runtime/durable/run-router.ts',
    from: 'if (this.#stopped) return never()\n        if (tries',
    to: 'if (this.#stopped) throw error\n        if (tries',
  },
  {
    name: 'the messages of a person run in reverse',
    file: 'events/src/lib/event-queues.ts',
    from: 'this.#current = next.reverse()',
    to: 'this.#current = next',
  },
  {
    name: 'a message of unknown outcome is sent again',
    file: 'rest/src/lib/retry.ts',
    from: 'if (failure.left && !call.repeatable) {',
    to: 'if (failure.kind === undefined) {',
  },
  {
    name: 'a slot of the message budget is free too early',
    file: 'rest/src/lib/budget.ts',
    from: 'if (left) this.#add(this.#options.clock.monotonic())',
    to: 'if (left) this.#add(this.#options.clock.monotonic() - 10_000)',
  },
  {
    name: 'a restart resets the message budget',
    file: 'rest/src/lib/budget.ts',
    from: 'const loaded = this.#guard(() => sendTimes?.load()) ?? []',
    to: 'const loaded: number[] = []',
  },
  {
    name: 'a broadcast does not store that it sends',
    file: 'framework/src/runtime/sending/broadcaster.ts',
    from: 'job.sending = true\n      try {',
    to: 'try {',
  },
  {
    name: 'the progress of a broadcast is not stored',
    file: 'framework/src/runtime/sending/broadcaster.ts',
    from: "decide(job, result)\n    await this.#store(id, running)\n    return 'decided'",
    to: "decide(job, result)\n    return 'decided'",
  },
  {
    name: 'broadcasts do not continue after a restart',
    file: 'framework/src/runtime/instance/single-instance.ts',
    from: 'void outbox.broadcasts.resume()',
    to: 'void outbox',
  },
  {
    name: 'the beginning of ctx.once is not stored',
    file: 'framework/src/author/state/once.ts',
    from: "const begun = await store.set(name, { state: 'running' }, { expected: found?.version ?? 0, expiresAtMs })",
    to: 'const begun = true',
  },
  {
    name: 'a repeated step of a durable run does not look for its message',
    file: 'framework/src/bot/durable/repeat-call.ts',
    from: 'repeats || tries > 1 ? await repeatCall',
    to: 'tries > TRIES ? await repeatCall',
  },
  {
    name: 'sleeping runs are not woken',
    file: 'framework/src/runtime/instance/single-instance.ts',
    from: 'this.#bot.runs.lead(true)',
    to: 'void this.#bot.runs',
  },
  {
    name: 'a due task runs again after a restart',
    file: 'framework/src/runtime/tasks/timer-runner.ts',
    from: "const interrupted = timer.state === 'running' && !this.#claimed.has(key)",
    to: 'const interrupted = false',
  },
  {
    name: 'a cooldown is not counted',
    file: 'framework/src/bot/guards/cooldown.ts',
    from: 'const leftMs = await countUse(store, key, { ...how, nowMs })',
    to: 'const leftMs = (void countUse, void store, void nowMs, 0)',
  },
]
