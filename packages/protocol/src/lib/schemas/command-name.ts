import { limits } from '../limits.ts'

const { min, characters } = limits.command_name

/** The pattern of command names (§2). */
export const commandName = new RegExp(`^[a-z0-9_-]{${min},${characters}}$`)

/** The rule of `commandName` in words. */
export const commandNameRule = `${min} to ${characters} lowercase letters, digits, - or _`
