import { openDatabase } from '@botwright/sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { preparedSql, type Sql } from './sql.ts'

let db: ReturnType<typeof openDatabase>
let sql: Sql
let reads: number
let nameOf: (id: string) => string | undefined
let booksOf: (id: string) => number

beforeEach(() => {
  db = openDatabase(':memory:')
  db.exec(`
    CREATE TABLE people (id TEXT PRIMARY KEY, name TEXT);
    CREATE TABLE shelves (id TEXT PRIMARY KEY, person_id TEXT REFERENCES people (id) ON DELETE CASCADE);
    CREATE TABLE books (id TEXT PRIMARY KEY, shelf_id TEXT REFERENCES shelves (id) ON DELETE SET NULL);
    INSERT INTO people VALUES ('a', 'ann');
    INSERT INTO shelves VALUES ('s', 'a');
    INSERT INTO books VALUES ('b', 's');`)
  sql = preparedSql(db)
  reads = 0
  nameOf = sql.cached(['people'], (id) => {
    reads++
    return sql.get<{ name: string }>('SELECT name FROM people WHERE id = ?', id)?.name
  })
  booksOf = sql.cached(
    ['books'],
    (shelf) => sql.get<{ n: number }>('SELECT count(*) AS n FROM books WHERE shelf_id = ?', shelf)!.n,
  )
})
afterEach(() => db.close())

const rename = (name: string) => sql.run('UPDATE people SET name = ? WHERE id = ?', name, 'a')

describe('a cached value', () => {
  it('is read once, also if there is none', () => {
    expect([nameOf('a'), nameOf('a'), nameOf('b'), nameOf('b')]).toEqual(['ann', 'ann', undefined, undefined])
    expect(reads).toBe(2)
  })

  it('is read again after a write to its table, but not after a write to another one', () => {
    nameOf('a')
    const { version } = sql
    sql.run('INSERT INTO books VALUES (?, NULL)', 'c')
    expect([nameOf('a'), reads, sql.version === version]).toEqual(['ann', 1, false])
    rename('bea')
    expect([nameOf('a'), reads]).toEqual(['bea', 2])
    sql.run('INSERT OR REPLACE INTO people VALUES (?, ?)', 'a', 'cleo')
    expect(nameOf('a')).toBe('cleo')
  })

  it('is read again after a deletion that reaches its table through others', () => {
    expect(booksOf('s')).toBe(1)
    sql.run('DELETE FROM people WHERE id = ?', 'a')
    expect(booksOf('s')).toBe(0)
  })

  it('that a transaction read does not survive its rollback', () => {
    const fail = () => {
      rename('bea')
      expect(nameOf('a')).toBe('bea')
      throw new Error('rolled back')
    }
    expect(() => sql.transaction(fail)).toThrow('rolled back')
    expect(nameOf('a')).toBe('ann')
    sql.transaction(() => {
      expect(() => sql.transaction(fail)).toThrow('rolled back')
      expect(nameOf('a')).toBe('ann')
      rename('dora')
    })
    expect(nameOf('a')).toBe('dora')
  })

  it('survives the rollback of a transaction that did not change its table', () => {
    nameOf('a')
    const refuse = () => {
      sql.run('INSERT INTO books VALUES (?, NULL)', 'c')
      throw new Error('refused')
    }
    expect(() => sql.transaction(refuse)).toThrow('refused')
    expect([nameOf('a'), reads]).toEqual(['ann', 1])
  })

  it('cannot be changed by its readers', () => {
    const row = sql.cached(['people'], (id) => sql.get<{ name: string }>('SELECT name FROM people WHERE id = ?', id))
    expect(() => (row('a')!.name = 'eve')).toThrow(TypeError)
  })

  it('is one of at most 10,000 per cache', () => {
    for (let n = 0; n < 10_000; n++) nameOf(String(n))
    expect([nameOf('0'), reads]).toEqual([undefined, 10_000])
    nameOf('a')
    nameOf('0')
    expect(reads).toBe(10_002)
  })
})

it('refuses a statement whose table it does not recognize', () => {
  expect(() => sql.run('REPLACE INTO people VALUES (?, ?)', 'a', 'x')).toThrow('is not recognized')
})
