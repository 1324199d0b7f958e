import type { Button } from '@botwright/protocol/shapes'
import { BotwrightError } from '@botwright/protocol/facts'
import type { TextOrMessageOrNothing } from './answer.ts'
import type { ButtonContext } from './context.ts'
import type { DurableOption, MembersIf } from './durable.ts'
import { type Defined, definedAs, type FormerVersion, place } from './definition.ts'
import type { Guard, RefusalText, ServerIdBehind } from './guards/guard.ts'
import type { ParamsGiven, ParamsOf, ParamsShape } from './params/packing.ts'
import type { Duration } from './time/duration.ts'
import { customIdOf, packParams, spilledIdOf } from './buttons/custom-id.ts'
import { checkFace, checkUrl, type Face, type LinkFace } from './buttons/face.ts'
import { keyOf, spilling, spillMsOf } from './buttons/spill.ts'
import { misspelledField } from './did-you-mean.ts'

/** A button without parameters. */
export interface PlainButton extends Defined {
  readonly [definedAs]: 'button'
  /** Creates a button that runs this file on a click. */
  button(face: Face): Button
}

/** A button with parameters, which its `custom_id` contains. */
export interface ParamButton<S extends ParamsShape> extends Defined {
  readonly [definedAs]: 'button'
  readonly params: S
  /** Creates a button that runs this file with these parameters on a click. Throws `ERR_CUSTOM_ID` if one does not fit. */
  button(params: ParamsGiven<S>, face: Face): Button
  /**
   * Keeps buttons with former `params` working: `button({ … }).formerly({ yes: boolean() }, ({ yes }) => ({ choice: yes ? 'yes' : 'no' }))`.
   * `params` are the file's former ones, unchanged: names, kinds, bounds and order. `migrate` returns current ones;
   * after `undefined`, the user is notified that the button is outdated.
   */
  formerly<Old extends ParamsShape>(
    params: Old,
    migrate: (old: ParamsOf<Old>) => Migrated<S> | Promise<Migrated<S>>,
  ): ParamButton<S>
}

type Migrated<S extends ParamsShape> = ParamsOf<S> | undefined

type ButtonOf<S extends ParamsShape | undefined> = S extends ParamsShape ? ParamButton<S> : PlainButton
type Carried<S extends ParamsShape | undefined> = S extends ParamsShape ? ParamsOf<S> : string

/** The definition of a button. */
export interface ButtonOptions<
  S extends ParamsShape | undefined,
  G extends readonly Guard[] = readonly Guard[],
  D extends true | undefined = undefined,
> extends DurableOption<D> {
  /** The contents of the `custom_id`: `{ poll: uuid(), choice: oneOf('yes', 'no') }`. */
  params?: S
  /**
   * Keeps the params in the bot's store, where they may be large, and only a key in the `custom_id`: for 30 days after the last
   * message that shows the button, or for `'7d'`. After a later click, the user is notified that the button is outdated.
   */
  spill?: boolean | Duration
  /**
   * The reply to a click on a button with former params, or whose params have expired. Default: "This button is outdated."
   * A function receives the context: its user, its language.
   */
  outdated?: RefusalText
  /** Checked in this order before it runs: `[hasRole('Mods')]`. */
  guards?: G
  /** Runs on a click. A returned text or message is the reply. */
  run: (
    ctx: ButtonContext<Carried<S>, ServerIdBehind<G>> &
      MembersIf<D, S extends ParamsShape ? ParamsOf<S> : Record<never, never>>,
  ) => TextOrMessageOrNothing
}

/** Defines the handler of a click; the default export of a file under `buttons/`. A returned text or message is the reply. */
export function button<
  S extends ParamsShape | undefined = undefined,
  const G extends readonly Guard[] = readonly [],
  D extends true | undefined = undefined,
>(options: ButtonOptions<S, G, D>): ButtonOf<S> {
  const { params, spill, ...rest } = options
  const spillMs = spillMsOf(spill)
  const versions: FormerVersion[] = []
  const self: Defined & Pick<ParamButton<ParamsShape>, 'formerly'> & { button(one: unknown, two?: Face): Button } = {
    [definedAs]: 'button',
    ...rest,
    problem: misspelledField(options, {
      ...{
        params: true,
        spill: true,
        outdated: true,
        guards: true,
        durable: true,
        timeout: true,
        version: true,
        onUpgrade: true,
      },
      ...{ run: true },
    }),
    ...(params && { params }),
    ...(spillMs !== undefined && { spillMs }),
    versions,
    formerly(former, migrate) {
      versions.push({ params: former, migrate })
      return self as unknown as ParamButton<ParamsShape>
    },
    button(one, two) {
      const at = self[place]
      if (!at) throw new BotwrightError('ERR_CUSTOM_ID', noFile)
      if (!params) return makeButton(at.file, at.name, one as Face)
      const packed = packParams(at.file, params, one as Record<string, unknown>)
      if (spillMs === undefined) return makeButton(at.file, customIdOf(at.name, params, packed), two)
      const made = makeButton(at.file, spilledIdOf(at.name, params, keyOf(packed)), two)
      return spilling(made, { packed, forMs: spillMs })
    },
  }
  return self as unknown as ButtonOf<S>
}

/** A button that opens an https page and sends nothing to the bot (§2). Throws `ERR_INVALID_REQUEST` for any other URL. */
button.link = <const U extends string>({ label, emoji, url, disabled }: LinkFace<U>): Button => {
  const face = { ...(label !== undefined && { label }), ...(emoji !== undefined && { emoji }) }
  checkFace('button.link', face)
  checkUrl('button.link', url)
  return { type: 'button', style: 'link', ...face, url, ...(disabled !== undefined && { disabled }) }
}

const noFile =
  'this button has no file: make it the default export of a file under buttons/, and call .button() from a handler'

/** A button as the service accepts it. */
export function makeButton(file: string, custom_id: string, face: Face | undefined): Button {
  if (typeof face !== 'object')
    throw new BotwrightError(
      'ERR_INVALID_REQUEST',
      `${file}: .button() needs a label or emoji after the params: { label: 'Yes' }`,
    )
  checkFace(`${file}: .button()`, face)
  const { style = 'secondary', ...rest } = face
  return { type: 'button', style, custom_id, ...rest }
}
