import type { Database, RunResult, Statement, Value } from '@botwright/sqlite'

/** Runs SQL on one database, preparing each text once. */
export interface Sql {
  get<R>(text: string, ...parameters: Value[]): R | undefined
  all<R>(text: string, ...parameters: Value[]): R[]
  run(text: string, ...parameters: Value[]): RunResult
}

export function preparedSql(db: Database): Sql {
  const statements = new Map<string, Statement<unknown>>()
  const statement = (text: string) => {
    let found = statements.get(text)
    if (found === undefined) statements.set(text, (found = db.prepare(text)))
    return found
  }
  return {
    get: <R>(text: string, ...parameters: Value[]) => statement(text).get(...parameters) as R | undefined,
    all: <R>(text: string, ...parameters: Value[]) => statement(text).all(...parameters) as R[],
    run: (text, ...parameters) => statement(text).run(...parameters),
  }
}
