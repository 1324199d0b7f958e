import { basename, dirname } from 'node:path/posix'
import { isCode, sourceFiles } from '../source-files.ts'
import type { Violation } from './violation.ts'

const EMPTY_NAMES = new Set(['utils', 'util', 'helpers', 'helper', 'types', 'common', 'manager', 'misc'])

/** Rejects generic file names: a file whose name fits everything collects everything. */
export async function checkNames(root: string): Promise<Violation[]> {
  return (await sourceFiles(root)).filter(isCode).flatMap((file) => {
    const name = basename(file).split('.')[0]?.toLowerCase() ?? ''
    const folders = dirname(file).split('/')
    const found = [name, ...folders].find((part) => EMPTY_NAMES.has(part))
    if (found === undefined) return []
    return [{ file, fact: `"${found}" does not describe the content`, fix: 'name the file after its content' }]
  })
}
