import { isMessageLike } from '../../author/answer.ts'
import type * as author from './failure.ts'
import { callsEnded, LifecycleContext } from '../../bot/context/bot-context.ts'
import type { OwnHandling } from '../../bot/own-handling.ts'
import type { BotServices } from '../../bot/services.ts'
import { sourceLine } from '../../link/errors/source-line.ts'
import { readable, wholeMessage } from '../../link/errors/whole-error.ts'
import { factsOf, type FailureFacts } from './failure-event.ts'

export { failureType } from './failure-event.ts'

/** Runs the files of the event `error`, one after another. Their errors are logged, and nothing else: they lead to no further failure. */
export const errorFiles: OwnHandling = ({ handlers, services, host: { log }, root, ready }) => {
  const files = handlers.filter(({ entry }) => entry.kind === 'event' && entry.name === 'error')
  return {
    handlerOf: () => files.map(({ entry }) => entry.file).join(', '),
    async handle({ event }) {
      for (const handler of files) {
        const { file } = handler.entry
        try {
          const run = await ready(handler)
          const ctx = new ErrorContext(handler.services ?? services, file, factsOf(event))
          const result = await run(ctx as never)
          await callsEnded(ctx)
          if (isMessageLike(result))
            throw new Error(
              'run returned an answer, but error has no channel to answer in: use ctx.send(channel_id, message)',
            )
        } catch (thrown) {
          const error = readable(thrown)
          const at = sourceLine(error, root, file) ?? file
          log.error({ code: 'ERR_HANDLER', file, at, error }, `${at}: ${wholeMessage(error)}`)
        }
      }
    },
  }
}

class ErrorContext extends LifecycleContext implements author.ErrorContext {
  readonly error: author.ErrorContext['error']
  readonly failure: author.Failure

  constructor(services: BotServices, file: string, { error, failure }: FailureFacts) {
    super(services, file)
    const { message, name = 'Error', code, stack } = error
    const own = Object.assign(new Error(message), { name, stack: stack ?? `${name}: ${message}` })
    this.error = code === undefined ? own : Object.assign(own, { code })
    this.failure = failure
  }
}
