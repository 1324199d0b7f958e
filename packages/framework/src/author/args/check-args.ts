import type { ArgsShape } from './arg.ts'
import { flagKey } from './flags.ts'

/** What is wrong with a command's `args`, if anything: told when the bot is loaded, not when somebody types. */
export function argsProblem(shape: ArgsShape): string | undefined {
  if (typeof shape !== 'object') return 'args must be an object: { question: text() }'
  let optional: string | undefined
  let last: string | undefined
  const keys = new Map<string, string>()
  for (const [name, arg] of Object.entries(shape)) {
    if (!/^[a-z][a-z0-9_-]*$/i.test(name)) return `the arg "${name}" must be a word that begins with a letter`
    if (typeof arg?.read !== 'function' || arg.expects === undefined)
      return `the arg "${name}" must be created with text(), integer() or another kind`
    const twin = keys.get(flagKey(name))
    if (twin !== undefined) return `the args "${twin}" and "${name}" are both typed --${twin}; rename one`
    keys.set(flagKey(name), name)
    if (arg.takes === 'flag' || arg.named) continue
    if (last !== undefined)
      return `the arg "${name}" comes after "${last}", which takes the rest of the text; put "${last}" last`
    if (optional !== undefined && !arg.absent) {
      return `the required arg "${name}" comes after "${optional}", which is optional; put it before`
    }
    if (arg.absent) optional = name
    if (arg.takes !== 'word') last = name
  }
  return undefined
}
