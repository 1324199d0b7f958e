import { BotwrightError } from '@botwright/protocol/facts'
import type { Button, Embed, MessageCreate } from '@botwright/protocol/shapes'
import { button, type ParamButton } from '../../author/button.ts'
import type { Face } from '../../author/buttons/face.ts'
import type { Context } from '../../author/context.ts'
import { type Defined, type definedAs, place } from '../../author/definition.ts'
import { misspelledField } from '../../author/did-you-mean.ts'
import type { Guard, RefusalText } from '../../author/guards/guard.ts'
import type { ParamsGiven, ParamsOf, ParamsShape } from '../../author/params/packing.ts'
import type { Duration } from '../../author/time/duration.ts'
import { turnParam } from './turn.ts'

/** The page that `load` loads. */
export interface PageRequest<S extends ParamsShape = ParamsShape> {
  /** From 1. */
  readonly number: number
  /** How many lines a page has. */
  readonly size: number
  /** How many lines are on the pages before it: `LIMIT ${size} OFFSET ${offset}`. */
  readonly offset: number
  /** The params of the list. */
  readonly params: ParamsOf<S>
}

/** A page as lines of text, shown as an embed. */
export interface PageOfLines {
  title?: string
  /** The lines of the page; without `total`, all lines of the list. */
  lines: readonly string[]
  /** How many lines the whole list has. */
  total?: number
}

/** A page as a message. */
export interface PageMessage {
  content?: string
  embeds?: readonly Embed[]
  /** How many lines, or other items, the whole list has. */
  total: number
}

/** The definition of a list with pages. */
export interface PagesOptions<S extends ParamsShape> {
  /** How many lines a page has. Default 10. */
  size?: number
  /** The values that the list depends on: `{ season: text() }`. They are part of the buttons, as the page is. */
  params?: S
  /** The people who turn the pages: the person who asked (the default), or anyone who sees the message. */
  by?: 'asker' | 'anyone'
  /** Shown for a list without lines. Default: "Nothing here yet." */
  empty?: string
  /**
   * Keeps the params in the bot's store, as `spill` of `button()` does. Default: true if a param has no maximum length, such as `text()`.
   */
  spill?: boolean | Duration
  /** The reply to a click on an outdated button. Default: "This button is outdated." */
  outdated?: RefusalText
  /** Checked for each page, also the first one. */
  guards?: readonly Guard[]
  /** Loads a page: the first one, and again at each click. `ctx` is that of the command or of the click. */
  load: (ctx: Context, page: PageRequest<S>) => Page | Promise<Page>
}

type Page = PageOfLines | PageMessage

/** The params of a list; they may be omitted if it has none, or all of them are optional. */
type ParamsArgument<S extends ParamsShape> =
  Record<never, never> extends ParamsGiven<S> ? [params?: ParamsGiven<S>] : [params: ParamsGiven<S>]

/** A list with pages. */
export interface Pages<S extends ParamsShape> extends Defined {
  readonly [definedAs]: 'button'
  /** Loads the first page. Return it from `run`, or pass it to `ctx.reply`. Throws `ERR_CUSTOM_ID` if a param does not fit. */
  first(ctx: Context, ...params: ParamsArgument<S>): Promise<MessageCreate>
  /** Creates a button that replies with the first page. Throws `ERR_CUSTOM_ID` if a param does not fit. */
  button(params: ParamsGiven<S>, face: Face): Button
}

const fields: Readonly<Record<keyof PagesOptions<ParamsShape>, true>> = {
  size: true,
  params: true,
  by: true,
  empty: true,
  spill: true,
  outdated: true,
  guards: true,
  load: true,
}

/**
 * Defines a list that people turn with ◀ and ▶; the default export of a file under `buttons/`. A command shows its first page:
 * `run: (ctx) => scores.first(ctx, { season: ctx.args.season })`. The page is part of the buttons, so they work after a restart.
 */
export function pages<S extends ParamsShape = Record<never, never>>(options: PagesOptions<S>): Pages<S> {
  const { params, size = 10, by = 'asker', load, empty, outdated, guards } = options
  const problem = misspelledField(options, fields) ?? pagesProblem(options)
  const { spill = Object.values(params ?? {}).some((param) => param?.packing?.widest === Infinity) } = options
  // Loaded when the first page is shown: other bots do not need it.
  const turner = async () => {
    const { PageTurner } = await import('./page-turner.ts')
    return new PageTurner({ size, by, load, empty, guards, shape: params ?? {}, make, file: () => fileOf(self) })
  }
  const self: ParamButton<ParamsShape> = button({
    params: { ...params, turn: turnParam(by === 'asker') },
    spill,
    ...(outdated !== undefined && { outdated }),
    ...(guards && { guards }),
    run: async (ctx) => (await turner()).click(ctx),
  })
  const make = self.button.bind(self)
  const own: Pick<Pages<S>, 'first' | 'button' | 'problem'> = {
    problem: problem ?? self.problem,
    first: async (ctx, ...given) => (await turner()).shown(ctx, given[0] ?? {}),
    button: (given, face) => make({ ...given, turn: undefined }, face),
  }
  return Object.assign(self, own)
}

type Checked = Pick<PagesOptions<ParamsShape>, 'size' | 'params' | 'by'> & { load: unknown }

function pagesProblem({ size = 10, params, by = 'asker', load }: Checked): string | undefined {
  if (!Number.isSafeInteger(size) || size < 1) return `size must be a whole number from 1, but is ${String(size)}`
  if (by !== 'asker' && by !== 'anyone') return "by must be 'asker' or 'anyone'"
  if (typeof load !== 'function') return 'has no load: give it the function that loads a page'
  if (params && 'turn' in params) return 'the parameter "turn" is the page itself: choose another name'
  return undefined
}

function fileOf({ [place]: at }: Defined): string {
  if (at) return at.file
  throw new BotwrightError('ERR_DEFINITION', noFile)
}

const noFile = 'these pages have no file: make them the default export of a file under buttons/'
