import { migrate, openDatabase } from '@botwright/sqlite'
import { expect, it } from 'vitest'

it('stores all rows or none', () => {
  using db = openDatabase(':memory:')
  migrate(db, ['CREATE TABLE books (title TEXT PRIMARY KEY, lent INTEGER NOT NULL)'])
  const add = db.prepare('INSERT INTO books VALUES (?, ?)')
  const twice = () => db.transaction(() => [add.run('Momo', 0), add.run('Momo', 1)])
  expect(twice).toThrow('UNIQUE')
  expect(db.prepare('SELECT * FROM books').all()).toEqual([])
})
