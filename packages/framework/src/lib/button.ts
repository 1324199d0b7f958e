import type { actionStyles, Button } from '@botwright/protocol'
import { BotwrightError } from '@botwright/protocol/facts'
import type { ButtonContext } from './context/button-context.ts'
import { writeCustomId } from './custom-id.ts'
import { definedAs, place, type Defined } from './definition.ts'
import type { ParamsOf, ParamsShape } from './params/packing.ts'

/** How a button looks (§2): a label or an emoji; grey unless it has a style. */
export interface Face {
  label?: string
  emoji?: string
  style?: (typeof actionStyles)[number]
  disabled?: boolean
}

/** A button without parameters. */
export interface PlainButton extends Defined {
  readonly [definedAs]: 'button'
  /** A button that runs this file when it is clicked. */
  button(face: Face): Button
}

/** A button with parameters, which travel in its `custom_id`. */
export interface ParamButton<S extends ParamsShape> extends Defined {
  readonly [definedAs]: 'button'
  readonly params: S
  /** A button that runs this file with these parameters when it is clicked. Throws `ERR_CUSTOM_ID` when one does not fit. */
  button(params: ParamsOf<S>, face: Face): Button
}

/** Defines what happens on a click; the default export of a file under `buttons/`. A returned text or message is the reply. */
export function button<S extends ParamsShape>(options: {
  /** What the `custom_id` carries: `{ poll: uuid(), choice: oneOf('yes', 'no') }`. */
  params: S
  run: (ctx: ButtonContext<ParamsOf<S>>) => unknown
}): ParamButton<S>
export function button(options: { run: (ctx: ButtonContext<string>) => unknown }): PlainButton
export function button(options: { params?: ParamsShape; run: (ctx: never) => unknown }): Defined {
  const { params } = options
  const self: Defined & { button(one: unknown, two?: Face): Button } = {
    [definedAs]: 'button',
    ...options,
    button(one, two) {
      const at = self[place]
      if (!at) throw new BotwrightError('ERR_CUSTOM_ID', homeless)
      if (!params) return face(at.name, one as Face)
      return face(writeCustomId(at.name, at.file, params, one as Record<string, unknown>), two ?? {})
    },
  }
  return self
}

const homeless =
  'this button belongs to no file: make it the default export of a file under buttons/, and call .button() from a handler'

const face = (custom_id: string, { style = 'secondary', ...rest }: Face): Button => ({
  type: 'button',
  style,
  custom_id,
  ...rest,
})
