import { resource } from '@botwright/framework'
import { migrate, openDatabase } from '@botwright/sqlite'

export default resource({
  open: (ctx) => {
    const db = openDatabase(String(ctx.env.DB))
    migrate(db, ['CREATE TABLE books (title TEXT PRIMARY KEY, reader TEXT NOT NULL)'])
    return db
  },
  close: (db) => db.close(),
})
