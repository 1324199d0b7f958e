import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Violation } from '../checks/violation.ts'
import { acceptedPatterns } from './accepted-patterns.ts'
import { analyse, isUnbounded, type Verdict } from '@botwright/dev/patterns'
import { collectPatterns, type Pattern } from './collect-patterns.ts'

/** The recorded results of the analysis. It takes a minute for all patterns, so the check analyzes only new ones. */
export interface Record {
  /** The version of the checker. */
  recheck: string
  /** The patterns that take linear time. */
  linear: string[]
}

export const recordFile = new URL('../../../linear-patterns.json', import.meta.url)
const REGENERATE = 'node packages/workspace/bin/patterns.mjs'

/** A pattern's name in the record and the list of accepted ones. */
export const keyOf = ({ source, flags, made }: Pattern): string => (made ? `RegExp(${source})` : `/${source}/${flags}`)

/** Finds the patterns to analyze: those that are neither accepted nor bounded, each once. */
export function patternsToAnalyse(all: readonly Pattern[]): Pattern[] {
  const byKey = new Map(all.map((one) => [keyOf(one), one]))
  return [...byKey.values()].filter(
    (one) => !one.made && isUnbounded(one) && !Object.hasOwn(acceptedPatterns, keyOf(one)),
  )
}

/** Checks that every regular expression of a program that users run takes linear time or is on the list of accepted ones. */
export async function checkPatterns(root: string): Promise<Violation[]> {
  const all = await collectPatterns(root)
  const record = JSON.parse(await readFile(recordFile, 'utf8')) as Record
  const { version } = createRequire(import.meta.url)('recheck/package.json') as { version: string }
  const known = new Set(record.recheck === version ? record.linear : [])
  const unknown = patternsToAnalyse(all).filter((one) => !known.has(keyOf(one)))
  const verdicts = await analyse(unknown)
  const byKey = new Map(unknown.map((one, i): [string, Verdict] => [keyOf(one), verdicts[i]]))
  const violations: Violation[] = []
  if (record.recheck !== version)
    violations.push({
      file: 'packages/workspace/linear-patterns.json',
      fact: `was written by recheck ${record.recheck}, but ${version} is installed`,
      fix: `run ${REGENERATE}`,
    })
  for (const one of all) {
    const key = keyOf(one)
    if (Object.hasOwn(acceptedPatterns, key)) continue
    const fact = one.made ? 'is built at run time, so it cannot be analyzed' : byKey.get(key)?.text
    if (fact === undefined) continue
    violations.push({
      file: one.file,
      line: one.line,
      fact: `${key}: ${fact}`,
      fix: 'rewrite it, or add it to accepted-patterns.ts with the reason why its texts are short or trusted',
    })
  }
  const present = new Set(all.map(keyOf))
  return violations.concat(
    Object.keys(acceptedPatterns)
      .filter((key) => !present.has(key))
      .map((key) => ({
        file: 'packages/workspace/src/lib/patterns/accepted-patterns.ts',
        fact: `accepts ${key}, which no program contains`,
        fix: 'remove it',
      })),
  )
}
