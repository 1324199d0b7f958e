import { functionFaults } from './planted-in-functions.ts'
import { plantedWebFaults } from './planted-web.ts'

/** A fault that a source gets back for a while: `from` occurs once in the file. */
export interface PlantedFault {
  name: string
  /** The bot whose plays find it. Default: the first one. */
  bot?: 'day' | 'functions' | 'web'
  file: string
  from: string
  to: string
}

/** Faults that the runtime had, and others of their kinds. The simulation must find each of them. */
export const plantedFaults: readonly PlantedFault[] = [
  ...functionFaults,
  {
    name: 'a refused answer suppresses the ack of a click',
    file: 'rest/src/lib/call.ts',
    from: 'this.#answer?.arrived({ accepted: answer.status < 300,',
    to: 'this.#answer?.arrived({ accepted: true,',
  },
  {
    name: 'an answer of unknown outcome suppresses the ack of a click',
    file: 'framework/src/features/single-instance/auto-ack.ts',
    from: 'if (this.#answers.answered(click.interactionId) ||',
    to: 'if (this.#answers.used(click.interactionId) > 0 ||',
  },
  {
    name: 'an answer under way suppresses the ack of a click',
    file: 'framework/src/features/single-instance/auto-ack.ts',
    from: 'if (now < click.latestMs && this.#answers.answering(click.interactionId))',
    to: 'if (this.#answers.answering(click.interactionId))',
  },
  {
    name: 'clicks are dated by the clock of the host',
    file: 'framework/src/features/delivery/service-clock.ts',
    from: 'if (!Number.isFinite(atMs)) return',
    to: 'if (atMs !== 0) return',
  },
  {
    name: 'a repeated event is not marked',
    file: 'events/src/lib/intake.ts',
    from: '{ event, attempt: attempts + 1, asked,',
    to: '{ event, attempt: 1, asked,',
  },
  {
    name: 'the start of an event is not stored',
    file: 'events/src/lib/intake.ts',
    from: 'started: [...ready.map(({ current }) => startedOf(current!)), ...this.#givenUp],',
    to: 'started: [...this.#givenUp],',
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
    file: 'framework/src/features/durable/runtime/run-router.ts',
    from: 'if (signal.aborted) throw new Unfinished()',
    to: "if (signal.aborted) throw new Error('the bot stops')",
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
    file: 'framework/src/features/broadcasts/broadcaster.ts',
    from: 'job.sending = true\n      try {',
    to: 'try {',
  },
  {
    name: 'the progress of a broadcast is not stored',
    file: 'framework/src/features/broadcasts/broadcaster.ts',
    from: "decide(job, result)\n    await this.#store(id, running)\n    return 'decided'",
    to: "decide(job, result)\n    return 'decided'",
  },
  {
    name: 'broadcasts do not continue after a restart',
    file: 'framework/src/features/single-instance/single-instance.ts',
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
    file: 'framework/src/features/durable/runs/repeat-call.ts',
    from: 'repeats || tries > 1 ? await repeatCall',
    to: 'tries > TRIES ? await repeatCall',
  },
  {
    name: 'sleeping runs are not woken',
    file: 'framework/src/features/single-instance/single-instance.ts',
    from: 'this.#bot.runs.lead(true)',
    to: 'void this.#bot.runs',
  },
  {
    name: 'a due task runs again after a restart',
    file: 'framework/src/features/tasks/runtime/timer-runner.ts',
    from: "const interrupted = state === 'running' && !isOwn",
    to: 'const interrupted = false',
  },
  {
    name: 'a cooldown is not counted',
    file: 'framework/src/features/cooldowns/cooldown.ts',
    from: 'const leftMs = await countUse(store, key, { ...how, nowMs })',
    to: 'const leftMs = (void countUse, void store, void nowMs, 0)',
  },
  {
    name: 'events whose start cannot be stored are lost',
    file: 'events/src/lib/intake.ts',
    from: 'queues.release(ready)\n      return',
    to: 'return',
  },
  {
    name: 'the end of an event is not stored',
    file: 'events/src/lib/intake.ts',
    from: 'this.#received.open.delete(key)\n      this.#done.push(key)',
    to: 'this.#received.open.delete(key)',
  },
  {
    name: 'a reset of the feed is not detected while the bot runs',
    file: 'events/src/lib/feed.ts',
    from: 'if (page.last < intake.polled && page.events.length === 0) {',
    to: 'if (page.last < 0) {',
  },
  {
    name: 'the events of a channel run at the same time',
    file: 'events/src/lib/bot-event.ts',
    from: "if (typeof channel === 'string') return channel",
    to: "if (typeof channel === 'string') return `${channel} ${String(data['id'])}`",
  },
  {
    name: 'a click is acknowledged too late',
    file: 'framework/src/features/delivery/click-ack.ts',
    from: 'export const ACK_AFTER_MS = 2000',
    to: 'export const ACK_AFTER_MS = 3100',
  },
  {
    name: 'clicks count as missed although the bot was there',
    file: 'framework/src/features/delivery/service-clock.ts',
    from: 'return clickedAtMs > receivedUntilMs &&',
    to: 'return',
  },
  {
    name: 'the message budget has one slot too many',
    file: 'rest/src/lib/budget.ts',
    from: 'return this.used < this.#options.requests -',
    to: 'return this.used <= this.#options.requests -',
  },
  {
    name: 'sent messages do not count in the budget',
    file: 'rest/src/lib/call.ts',
    from: 'if (this.#hasSlot) this.#giveSlotBack(this.#left)',
    to: 'if (this.#hasSlot) this.#giveSlotBack(false)',
  },
  {
    name: 'a slot is not free when its timer fires',
    file: 'rest/src/lib/budget.ts',
    from: 'clock.after(Math.ceil(wakeAt - now), () => this.#pump()',
    to: 'clock.after(Math.ceil(wakeAt - now), () => this.#forget()',
  },
  {
    name: 'the rows of former questions are kept',
    file: 'framework/src/features/durable/stored/run-store.ts',
    from: '...left.map((key) => this.#forget(key, id)),',
    to: '',
  },
  {
    name: 'the end of a durable run is not stored',
    file: 'framework/src/features/durable/runs/durable-runs.ts',
    from: 'await this.#save(run, head)\n      if (status',
    to: 'if (status',
  },
  {
    name: 'a former process ends no run',
    file: 'framework/src/features/durable/runs/durable-runs.ts',
    from: 'return void (await this.#ended.again(head))',
    to: 'return undefined',
  },
  {
    name: 'a run that died while it notified its user does not repeat its record',
    file: 'framework/src/features/durable/runs/replay.ts',
    from: 'if (next && !(thrown && next.notice) && !this.#broken)',
    to: 'if (next && !this.#broken)',
  },
  {
    name: 'a repeated step looks for its message by the time of the host',
    file: 'framework/src/features/durable/runs/repeat-call.ts',
    from: 'if (isSure) return undefined',
    to: 'return undefined',
  },
  {
    name: 'the rows of a lost run are kept',
    file: 'framework/src/features/durable/runtime/run-dispatch.ts',
    from: 'void this.#router.lost(event, mayComeAgain)',
    to: 'void event',
  },
  {
    name: 'an answer that cannot be stored counts as handled',
    file: 'framework/src/features/durable/runs/durable-runs.ts',
    from: "while ((run = await this.#stored(id, answer)) === 'unstored') await this.#unstored.later()",
    to: "if ((run = await this.#stored(id, answer)) === 'unstored') return",
  },
  {
    name: 'the record of a conversation is kept',
    file: 'framework/src/features/conversations/conversation.ts',
    from: 'await store.delete(conversationKey(this.#by.key))',
    to: 'await store.get(conversationKey(this.#by.key))',
  },
  {
    name: 'the record of a conversation that cannot be removed is kept',
    file: 'framework/src/features/conversations/conversation.ts',
    from: 'void this.#removeLater()',
    to: '',
  },
  {
    name: 'the person of a lost question is not notified',
    file: 'framework/src/features/conversations/lost-conversations.ts',
    from: "await call('messages.create', { channel_id, content }, { priority: 'reply' }).catch(warn)",
    to: 'void [call, content]',
  },
  {
    name: 'the record of a lost question that cannot be removed is kept',
    file: 'framework/src/features/conversations/lost-conversations.ts',
    from: 'if (failed.push(one) === 1 && tries === 1 && !again?.signal.aborted) warn(error)',
    to: 'if (tries === 1 && !again?.signal.aborted) warn(error)',
  },
  {
    name: 'a timer is not claimed before it runs',
    file: 'framework/src/features/tasks/runtime/timer-runner.ts',
    from: 'await this.rows.claimAs(store, { key, value, version }, running)',
    to: '[store, version].length > 0 && running',
  },
  {
    name: 'a timer that has run is not removed',
    file: 'framework/src/features/tasks/runtime/timer-runner.ts',
    from: 'failure ? this.#failed(known, key, { timer, expected }, failure) : store.delete(key, { expected })',
    to: 'failure ? this.#failed(known, key, { timer, expected }, failure) : Promise.resolve(Boolean(store))',
  },
  {
    name: 'a broadcast sends a message of unknown outcome again',
    file: 'framework/src/features/broadcasts/broadcaster.ts',
    from: 'if (job.sending) {',
    to: 'if (job.at < 0) {',
  },
  {
    name: 'unfinished broadcasts that cannot be read are forgotten',
    file: 'framework/src/features/broadcasts/broadcaster.ts',
    from: 'this.#resuming = clock.after(RETRY_MS, () => void this.resume())',
    to: 'return void clock',
  },
  {
    name: 'the work of ctx.once is not stored',
    file: 'framework/src/author/state/once.ts',
    from: "await store.set(name, { state: 'done', result } satisfies OnceRecord, { expiresAtMs })",
    to: 'await store.delete(name)',
  },
  {
    name: 'the next process does not know of a click that waits',
    file: 'events/src/lib/intake.ts',
    from: "if (event.type === 'interaction') this.#clickDue = true",
    to: '',
  },
  {
    name: 'after a restart, copies of event webhooks run before earlier events',
    file: 'events/src/lib/intake.ts',
    from: 'if (!asked && this.#isAhead(event)) this.#holdBack(event, true)',
    to: 'if (asked && this.#isAhead(event)) this.#holdBack(event, true)',
  },
  {
    name: 'the event of an event webhook is not stored',
    file: 'events/src/lib/intake.ts',
    from: 'this.#offered.push(event)\n      if (this',
    to: 'if (this',
  },
  {
    name: 'event webhooks are not checked',
    file: 'events/src/lib/signed-events.ts',
    from: '!isSigned(this.#keys, body, signature)',
    to: '!this.#keys.length',
  },
  {
    name: 'a durable handler whose record cannot be read fails',
    file: 'framework/src/features/durable/runs/unstored-runs.ts',
    from: 'if (this.#waiting.closed) return new Promise(() => {})',
    to: 'if (!again) throw error',
  },
  {
    name: 'rows that promise something are not synced',
    file: 'framework/src/features/stored-state/sqlite-store.ts',
    from: 'open.sync.next(mustStay)',
    to: 'open.sync.next(!mustStay)',
  },
  {
    name: 'the journal is not synced',
    file: 'events/src/lib/journal.ts',
    from: 'this.#sync.next(mustStay)',
    to: 'void mustStay',
  },
  {
    name: 'a held message of unknown outcome is sent again',
    bot: 'day',
    file: 'framework/src/features/quiet-hours/quiet-hours.ts',
    from: "if (state === 'sending') {",
    to: "if (key === '') {",
  },
  {
    name: 'a held message does not wait for the end of the quiet hours',
    bot: 'day',
    file: 'framework/src/features/quiet-hours/quiet-hours.ts',
    from: 'const waitsMs = this.#times.endMs(server_id, nowMs) ?? againMs',
    to: 'const waitsMs = (void server_id, againMs)',
  },
  {
    name: 'a held message that was sent is not removed',
    bot: 'day',
    file: 'framework/src/features/quiet-hours/quiet-hours.ts',
    from: 'await store.set(sentPrefix + id, value.id, { expiresAtMs: clock.now() + KNOWN_MS })\n        await store.delete(key)',
    to: 'await store.set(sentPrefix + id, value.id, { expiresAtMs: clock.now() + KNOWN_MS })',
  },
  {
    name: 'an event counts as finished when it is gathered',
    bot: 'day',
    file: 'events/src/lib/event-queues.ts',
    from: 'if (!gathered) this.#onSettled(delivery, error)',
    to: 'this.#onSettled(delivery, error)',
  },
  {
    name: 'a failed task does not run again',
    bot: 'day',
    file: 'framework/src/features/tasks/runtime/timer-runner.ts',
    from: 'if (againMs === undefined) return store.delete(key, { expected })',
    to: 'if (failures > 0) return store.delete(key, { expected })',
  },
  ...plantedWebFaults,
]
