import { dirname } from 'node:path'
import type { Clock } from '@botwright/clock'
import { type Database, DatabaseError, makePrivateFolder, migrate, moveAside, openDatabase } from '@botwright/sqlite'
import { type Report, reasonOf } from './report.ts'

const migrations = [
  `CREATE TABLE feed (id INTEGER PRIMARY KEY, base_url TEXT NOT NULL, bot_id TEXT NOT NULL, UNIQUE (base_url, bot_id));
   CREATE TABLE log (seq INTEGER PRIMARY KEY, feed INTEGER NOT NULL REFERENCES feed (id), entry TEXT NOT NULL, crc INTEGER NOT NULL);
   CREATE TABLE set_aside (feed INTEGER NOT NULL REFERENCES feed (id), event_id INTEGER NOT NULL, event TEXT NOT NULL,
     reason TEXT NOT NULL, at_ms INTEGER NOT NULL, PRIMARY KEY (feed, event_id)) WITHOUT ROWID;
   CREATE TABLE value (feed INTEGER NOT NULL REFERENCES feed (id), key TEXT NOT NULL, value TEXT NOT NULL,
     PRIMARY KEY (feed, key)) WITHOUT ROWID;`,
  // Written by other processes (`framework replay`), read by the bot's process.
  `CREATE TABLE replay_request (feed INTEGER NOT NULL REFERENCES feed (id), event_id INTEGER NOT NULL, at_ms INTEGER NOT NULL,
     PRIMARY KEY (feed, event_id)) WITHOUT ROWID;`,
  // An event that is set aside keeps its row when the service's ids start again and a new event gets its id.
  `ALTER TABLE set_aside RENAME TO set_aside_by_id;
   CREATE TABLE set_aside (feed INTEGER NOT NULL REFERENCES feed (id), event_id INTEGER NOT NULL, event TEXT NOT NULL,
     reason TEXT NOT NULL, at_ms INTEGER NOT NULL, era INTEGER NOT NULL, PRIMARY KEY (feed, era, event_id)) WITHOUT ROWID;
   INSERT INTO set_aside SELECT feed, event_id, event, reason, at_ms, 0 FROM set_aside_by_id;
   DROP TABLE set_aside_by_id;`,
]

/** Marks the file as a journal ("Botw"), so that another program's database is not mistaken for an empty one. */
const APPLICATION_ID = 0x426f7477

/** The file's content cannot be used: `openJournalFile` moves it aside. */
export class BrokenJournal extends Error {
  override readonly name = 'BrokenJournal'
}

/** A journal's file, and how to open it. */
export interface JournalFile {
  file: string
  clock: Clock
  report: Report
  openDatabase?: typeof openDatabase | undefined
}

/**
 * Opens the journal's file and lets `load` read it. Moves a damaged file, or one that is not a journal, aside, reports it,
 * and creates a new one. Throws if a later release wrote the file, or if it is not writable.
 */
export function openJournalFile<T>(options: JournalFile, load: (db: Database) => T): T {
  const { file, clock, report, openDatabase: open = openDatabase } = options
  if (file !== ':memory:') makePrivateFolder(dirname(file))
  try {
    return openAndLoad(open(file), load)
  } catch (error) {
    const broken = error instanceof BrokenJournal || (error instanceof DatabaseError && error.code === 'corrupt')
    if (!broken || file === ':memory:') throw error
    const movedTo = moveAside(file, clock.now())
    report({
      code: 'journal_broken',
      level: 'error',
      message: `${file}: cannot be used as the journal (${reasonOf(error)}). It was moved to ${movedTo} and a new journal was created. Unfinished events are lost`,
      file,
      movedTo,
    })
    return openAndLoad(open(file), load)
  }
}

/** Loads without moving anything aside. Closes the database if that fails. @throws BrokenJournal, DatabaseError */
export function openAndLoad<T>(db: Database, load: (db: Database) => T): T {
  try {
    const number = (sql: string) => Number(Object.values(db.prepare(sql).get() ?? {})[0])
    const tables = number('SELECT count(*) FROM sqlite_master')
    if (number('PRAGMA application_id') !== APPLICATION_ID) {
      if (tables > 0) throw new BrokenJournal('it is the database of another program')
      db.exec(`PRAGMA application_id = ${APPLICATION_ID}`)
    }
    // A click's event contains its token, so deleted data is overwritten too.
    db.exec('PRAGMA secure_delete = ON')
    migrate(db, migrations)
    return load(db)
  } catch (error) {
    db.close()
    // Missing tables or columns surface as plain SQL errors while loading.
    if (error instanceof DatabaseError && error.code === 'error')
      throw new BrokenJournal(error.message, { cause: error })
    throw error
  }
}
