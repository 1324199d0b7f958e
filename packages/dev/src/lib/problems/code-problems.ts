import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { placeOf, type Problem } from '../compile/problem.ts'

/** The problems of the code that `framework dev` could not load, for the other commands in the folder. */
const fileIn = (root: string): string => join(root, '.botwright/problems.json')

/** A problem as others read it: `{ at: 'commands/ping.ts:3:7', text }`. */
export interface CodeProblem {
  at: string
  text: string
}

/** Keeps the problems, or none. Not being able to write it must not stop `framework dev`, which prints them as well. */
export function keepProblems(root: string, problems: readonly Problem[]): void {
  try {
    if (problems.length === 0) rmSync(fileIn(root), { force: true })
    else writeFileSync(fileIn(root), JSON.stringify(problems.map((one) => ({ at: placeOf(one), text: one.text }))))
  } catch {
    // A full or read-only disk: the state of the bot reports it.
  }
}

/** The problems of the newest code; none if it runs. */
export function keptProblems(root: string): CodeProblem[] {
  try {
    return JSON.parse(readFileSync(fileIn(root), 'utf8')) as CodeProblem[]
  } catch {
    return []
  }
}

/** The errors of the running bot that are about no event, such as a rejected promise that no code awaits. */
const errorsIn = (root: string): string => join(root, '.botwright/errors.json')
const MAX_ERRORS = 20

interface KeptError {
  atMs: number
  /** With its place: `commands/ping.ts:3: …`. */
  text: string
  /** Code of the author threw it, rather than logged it. */
  thrown: boolean
}

/** Keeps the newest errors. Not being able to write them must not stop `framework dev`, which prints them as well. */
export function keepError(root: string, error: Omit<KeptError, 'atMs'>): void {
  try {
    const errors = [...readErrors(root), { atMs: Date.now(), ...error }].slice(-MAX_ERRORS)
    writeFileSync(errorsIn(root), JSON.stringify(errors))
  } catch {
    // A full or read-only disk: the state of the bot reports it.
  }
}

/** The errors since a time. */
export const errorsSince = (root: string, atMs: number): readonly Omit<KeptError, 'atMs'>[] =>
  readErrors(root).filter((one) => one.atMs >= atMs)

function readErrors(root: string): KeptError[] {
  try {
    return JSON.parse(readFileSync(errorsIn(root), 'utf8')) as KeptError[]
  } catch {
    return []
  }
}
