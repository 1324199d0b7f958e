import type { Button } from '@botwright/protocol/shapes'
import { BotwrightError, commandNameRule } from '@botwright/protocol/facts'
import { makeButton } from '../author/button.ts'
import type { Face } from '../author/buttons/face.ts'
import type { Defined } from '../author/definition.ts'
import { didYouMean, isWord } from '../author/did-you-mean.ts'
import type { Entry } from '../author/files/entries.ts'
import { entryOf } from '../author/files/file-name.ts'
import type { ButtonMaker } from '../author/register.ts'

/** Creates buttons of one bot by name. `definedBy` returns the definition of an entry's file once it is loaded. */
export function buttonMaker(entries: readonly Entry[], definedBy: (entry: Entry) => Defined | undefined): ButtonMaker {
  const buttons = new Map(entries.filter((entry) => entry.kind === 'button').map((entry) => [entry.name, entry]))
  return (name, ...rest) => {
    const entry = buttons.get(name)
    if (!entry) throw unknown(name, [...buttons.keys()])
    const defined: (Defined & { button?: ButtonMaker }) | undefined = definedBy(entry)
    if (!defined)
      throw new BotwrightError(
        'ERR_DEFINITION',
        `${entry.file} could not be loaded: its error is reported at the first click`,
      )
    // A plain function has no builder: its buttons carry only their name.
    return defined.button
      ? (defined.button as (...rest: readonly unknown[]) => Button)(...rest)
      : makeButton(entry.file, name, rest[0] as Face)
  }
}

function writeFix(name: string): string {
  const file = `buttons/${name}.ts`
  const entry = entryOf(file)
  if (entry?.kind === 'button' && entry.name === name) return `write ${file}`
  return name.split('/').every(isWord) ? 'choose another name' : `the name of a button is ${commandNameRule}`
}

function unknown(name: string, names: readonly string[]): BotwrightError {
  const near = didYouMean(name, names)
  const fix = near === undefined ? writeFix(name) : `did you mean ${near}?`
  return new BotwrightError('ERR_DEFINITION', `there is no button "${name}": ${fix}`)
}
