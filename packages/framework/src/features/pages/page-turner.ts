// Loads and shows the pages of a list.

import { BotwrightError, characters, cut, limits } from '@botwright/protocol/facts'
import type { ActionRow, Button, Embed, MessageCreate } from '@botwright/protocol/shapes'
import { packParams, unpackParams } from '../../author/buttons/custom-id.ts'
import type { Face } from '../../author/buttons/face.ts'
import { embed, row } from '../message-parts/message-parts.ts'
import type { ButtonContext, Context } from '../../author/context.ts'
import { hasCode } from '../../author/error-code.ts'
import type { ParamsShape } from '../../author/params/packing.ts'
import type { Guard } from '../../author/guards/guard.ts'
import { PersonError } from '../../author/texts/person-error.ts'
import { phrase } from '../../author/texts/phrase.ts'
import { noteRefusal } from '../../bot/context/refusals.ts'
import { guarded, placedGuards } from '../../bot/guards/guarded.ts'
import { servicesOf } from '../../bot/services.ts'
import type { PageMessage, PageOfLines, PageRequest } from './pages.ts'
import { MOST_PAGES, type Turn } from './turn.ts'

/** A list as its file declares it. */
export interface List {
  size: number
  by: 'asker' | 'anyone'
  empty: string | undefined
  guards: readonly Guard[] | undefined
  shape: ParamsShape
  load: (ctx: Context, page: PageRequest<never>) => PageOfLines | PageMessage | Promise<PageOfLines | PageMessage>
  make: (params: never, face: Face) => Button
  file: () => string
}

type Params = Readonly<Record<string, unknown>>
type Turns = Params & { turn: Turn | undefined }

/** A page as it is sent, and its place in the list. */
interface Shown {
  content: string | undefined
  embeds: Embed[] | undefined
  page: number
  pages: number
}

/** How often a page is loaded if the list becomes shorter meanwhile. */
const TRIES = 3
/** Shorter lines would be illegible. */
const SHORTEST_LINE = 10

export class PageTurner {
  readonly #list: List

  constructor(list: List) {
    this.#list = list
  }

  /** The first page. Ends the handler if a guard of the pages refuses; those that count uses count clicks only. */
  async shown(ctx: Context, given: Params): Promise<MessageCreate> {
    const { guards, file } = this.#list
    const { others } = placedGuards(guards, file())
    const shown = (await guarded(others, () => this.#first(ctx, given))(ctx)) as MessageCreate | undefined
    // The guard has notified the person.
    if (shown === undefined) throw new PersonError('ERR_CANCELLED', '')
    return shown
  }

  async #first(ctx: Context, given: Params): Promise<MessageCreate> {
    const { shape, file } = this.#list
    // As a click reads them: with their defaults.
    const params: Params = unpackParams(packParams(file(), shape, given), shape) ?? {}
    const by = this.#askerOf(ctx)
    const shown = await this.#load(ctx, params, 1)
    const components = this.#buttons(shown, params, by)
    const { content, embeds } = shown
    return {
      ...(content && { content }),
      ...(embeds && { embeds }),
      ...(components.length > 0 && { components }),
    }
  }

  async click(ctx: ButtonContext<Turns>): Promise<void> {
    const { turn, ...params } = ctx.params
    if (!turn) return void (await ctx.reply(await this.#first(ctx, params)))
    const { page, by } = turn
    if (by !== undefined && by !== ctx.user.id) {
      noteRefusal(ctx, 'only the person who asked turns these pages')
      return void (await ctx.ephemeral(await servicesOf(ctx).texts.say(phrase('ask.not_for_you'), ctx)))
    }
    const shown = await this.#load(ctx, params, page)
    const { content, embeds = null } = shown
    const components = this.#buttons(shown, params, by)
    try {
      await ctx.update({ ...(content !== undefined && { content }), embeds, components })
    } catch (error) {
      // The message was deleted while the page was loaded.
      if (!isGone(error)) throw error
      await ctx.ack()
    }
  }

  #askerOf(ctx: Context): string | undefined {
    const { by, file } = this.#list
    if (by === 'anyone') return undefined
    if (ctx.user.id !== '') return ctx.user.id
    throw new BotwrightError('ERR_INVALID_REQUEST', `${file()}: this event has no user; write by: 'anyone'`)
  }

  /** Loads a page, or the last one if the list has become shorter. */
  async #load(ctx: Context, params: Params, wanted: number): Promise<Shown> {
    const { size, load } = this.#list
    for (let page = wanted, tries = 1; ; tries++) {
      const loaded = await load(ctx, { number: page, size, offset: (page - 1) * size, params } as PageRequest<never>)
      const total = this.#totalOf(loaded)
      const pages = Math.min(Math.max(1, Math.ceil(total / size)), MOST_PAGES - 1)
      if (page <= pages || tries === TRIES)
        return { ...(await this.#bodyOf(ctx, loaded, page)), page, pages: Math.max(page, pages) }
      page = pages
    }
  }

  #totalOf(loaded: PageOfLines | PageMessage): number {
    const { total } = loaded
    if (total === undefined && 'lines' in loaded) return loaded.lines.length
    if (typeof total === 'number' && Number.isSafeInteger(total) && total >= 0) return total
    throw this.#refused(`load returned the total ${String(total)}; it must be a whole number from 0`)
  }

  async #bodyOf(
    ctx: Context,
    loaded: PageOfLines | PageMessage,
    page: number,
  ): Promise<Pick<Shown, 'content' | 'embeds'>> {
    const { size, empty } = this.#list
    if (!('lines' in loaded)) {
      const { content = '', embeds } = loaded
      return { content, embeds: embeds && [...embeds] }
    }
    const { title, lines: all, total } = loaded
    if (total !== undefined && all.length > size)
      throw this.#refused(
        `load returned ${all.length} lines for a page of ${size}; return those from page.offset on, or all lines without total`,
      )
    const lines = total === undefined ? all.slice((page - 1) * size, page * size) : all
    const text = lines.length > 0 ? fitted(lines) : await servicesOf(ctx).texts.say(empty ?? phrase('pages.empty'), ctx)
    return { content: undefined, embeds: [embed({ ...(title !== undefined && { title }), description: text })] }
  }

  /** ◀ 2/7 ▶; none for a single page. */
  #buttons({ page, pages }: Shown, params: Params, by: string | undefined): ActionRow[] {
    if (pages === 1) return []
    const { make } = this.#list
    const to = (target: number, label: string, disabled: boolean) =>
      make({ ...params, turn: { page: target, by } } as never, { label, ...(disabled && { disabled }) })
    return [row(to(page - 1, '◀', page === 1), to(page, `${page}/${pages}`, true), to(page + 1, '▶', page === pages))]
  }

  #refused(fact: string): BotwrightError {
    return new BotwrightError('ERR_INVALID_REQUEST', `${this.#list.file()}: ${fact}`)
  }
}

/** Whether the clicked message is gone (§7: 404). */
const isGone = (error: unknown): boolean =>
  hasCode(error, 'ERR_REFUSED') && (error as { status?: number }).status === 404

/** The lines as one text. If it is too long for an embed, the longest lines are shortened; of very many lines, the first ones are shown. */
function fitted(lines: readonly string[]): string {
  const max = limits.embed_description.characters
  const text = lines.join('\n')
  if (characters(text) <= max) return text
  const each = Math.max(SHORTEST_LINE, Math.floor((max + 1) / lines.length) - 1)
  return cut(lines.map((line) => (characters(line) > each ? `${cut(line, each - 1)}…` : line)).join('\n'), max)
}
