import { answerOf } from '../author/answer.ts'
import type { Context } from '../author/context.ts'
import { CommandContext } from './context/message-context.ts'
import { ButtonContext } from './context/button-context.ts'
import { inputOf } from './context/handler-context.ts'
import { noteRefusal } from './context/refusals.ts'
import { clickReader } from './buttons/read-click.ts'
import type { Defined } from '../author/definition.ts'
import type { RefusalText } from '../author/guards/guard.ts'
import { guarded, placedGuards, type HandlerFunction } from './guards/guarded.ts'
import { isThenable, type Outgoing } from '../author/outgoing.ts'
import { type BotServices, servicesOf } from './services.ts'
import { phrase } from '../author/texts/phrase.ts'
import type { ReadArgs } from '../author/args/read-args.ts'
import type { Definition } from '../author/files/entries.ts'
import { runNext } from '../link/errors/source-line.ts'
import type { CodePlace, Layer } from './layer.ts'

/** Composes a handler with its middleware, outermost first. Called once, when the handler is loaded. */
export function compile(
  { defined, file }: PlacedFile,
  middleware: readonly PlacedFile[],
  { code, guard }: Layer,
): HandlerFunction {
  const placed = ({ defined: { guards }, file: at }: PlacedFile) =>
    placedGuards(guard ? guards?.map((one) => guard(one, at)) : guards, at)
  const layered = <A extends unknown[]>(run: (...given: A) => unknown, place: CodePlace) => code?.(run, place) ?? run
  const own = placed({ defined, file })
  const layers = middleware.map((layer) => ({ ...layer, guards: placed(layer) }))
  // Guards that count uses run last, so that only events that reach the handler are counted.
  const counting = [...layers.flatMap(({ guards }) => guards.counting), ...own.counting]
  const handler = layered(defined.run as HandlerFunction, { kind: 'handler', file })
  const inner = guarded(own.others, withInput(defined, guarded(counting, answered(handler))))
  return layers.reduceRight<HandlerFunction>((next, { defined: layer, guards, file: at }) => {
    const run = layer.run as (ctx: Context, next: () => Promise<void>) => unknown
    return guarded(guards.others, wrap(layered(run, { kind: 'middleware', file: at }), next, at))
  }, inner)
}

interface PlacedFile {
  defined: Defined
  file: string
}

/** Wraps the author's function: its return value is the reply. */
const answered =
  (run: HandlerFunction): HandlerFunction =>
  (ctx) =>
    answer(ctx, run(ctx), 'run')

function wrap(
  layer: (ctx: Context, next: () => Promise<void>) => unknown,
  next: HandlerFunction,
  file: string,
): HandlerFunction {
  return (ctx) =>
    answer(
      ctx,
      layer(
        ctx,
        once(() => next(ctx), file, 'handler'),
      ),
      file,
    )
}

/** The `next` of a middleware. */
function once(run: () => unknown, file: string, what: 'handler' | 'task'): () => Promise<void> {
  let called = false
  return async () => {
    if (called) throw new Error(`a middleware called next() twice, but a ${what} runs only once`)
    called = true
    await runNext(run, file)
  }
}

/** The handler itself, with its args or params read just before it runs, after its guards and middleware. */
function withInput(defined: Defined, run: HandlerFunction): HandlerFunction {
  const { args } = defined
  if (args && Object.keys(args).length > 0) {
    return (ctx) => {
      // Reading throws ERR_ARGS before the handler runs. It is asynchronous only if a name is looked up.
      const reading = ctx instanceof CommandContext ? (ctx as CommandContext<unknown>).readArgs() : undefined
      return isThenable(reading) ? reading.then(() => run(ctx)) : run(ctx)
    }
  }
  const read = clickReader(defined)
  const begin = (ctx: ButtonContext<unknown>, params: unknown): unknown => {
    if (params === undefined) return replyOutdated(ctx, defined.outdated ?? phrase('outdated_button'))
    ctx.params = params
    return run(ctx)
  }
  return (ctx) => {
    if (!(ctx instanceof ButtonContext)) return run(ctx)
    const click = ctx as ButtonContext<unknown>
    const params = inputOf(click)?.input ?? read(click.custom_id, servicesOf(click).spilled)
    return isThenable(params) ? params.then((stored) => begin(click, stored)) : begin(click, params)
  }
}

async function replyOutdated(ctx: ButtonContext<unknown>, text: RefusalText): Promise<void> {
  noteRefusal(ctx, 'the button is outdated')
  const words = typeof text === 'function' ? await text(ctx) : text
  await (words === '' ? ctx.ack() : ctx.ephemeral(await servicesOf(ctx).texts.say(words, ctx)))
}

/** Sends the return value of a handler if it is a text or a message. Stays synchronous if the handler is. */
function answer(ctx: Context, result: unknown, what: string): unknown {
  if (result === undefined) return undefined
  if (isThenable(result)) return result.then((value) => send(ctx, answerOf(value, what)))
  return send(ctx, answerOf(result, what))
}

const send = (ctx: Context, message: Outgoing | undefined): unknown =>
  message === undefined ? undefined : ctx.reply(message).then(nothing)

const nothing = (): undefined => undefined

/** Composes a task with the `task` functions of its middleware, outermost first. The return value is ignored. */
export function compileTask(
  defined: Defined,
  middleware: readonly { defined: Defined; file: string }[],
): HandlerFunction {
  return middleware.reduceRight<HandlerFunction>((next, { defined: { task }, file }) => {
    if (!task) return next
    const layer = task as (ctx: unknown, next: () => Promise<void>) => unknown
    return (ctx) =>
      layer(
        ctx,
        once(() => next(ctx), file, 'task'),
      )
  }, defined.run as HandlerFunction)
}

/** One file that handles events. It is loaded at the start or when its first event arrives. */
export interface Handler {
  readonly entry: Definition
  /** The services of the plugin, for a plugin's handler. */
  readonly services?: BotServices
  defined?: Defined
  /** Parses the text after the command. Set together with `run` if the file declares args. */
  readArgs?: ReadArgs
  /** Set once the file and its middleware are loaded. */
  run?: HandlerFunction
}
