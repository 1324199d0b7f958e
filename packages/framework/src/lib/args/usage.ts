import type { Arg, ArgsShape } from './arg.ts'

/** How a command is typed: `Usage: /poll <question> <choices...> [--secret]`. */
export const usage = (command: string, shape: ArgsShape): string =>
  ['Usage:', command, ...Object.entries(shape).map(([name, arg]) => slot(name, arg))].join(' ')

function slot(name: string, arg: Arg<unknown>): string {
  if (arg.takes === 'flag') return `[--${name}]`
  const many = arg.takes === 'word' ? '' : '...'
  if (!arg.absent) return `<${name}${many}>`
  const { value } = arg.absent
  const shown = typeof value === 'string' || typeof value === 'number' ? `=${value}` : ''
  return `[${name}${many}${shown}]`
}
