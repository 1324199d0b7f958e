import { MemoryStore } from '../../author/state/memory-store.ts'
import { SqliteStore } from '../state/sqlite-store.ts'
import { dueRowsSuite } from './due-rows-suite.test.fixture.ts'

const log = { debug() {}, info() {}, warn() {}, error() {} }

dueRowsSuite('due rows in memory', (clock) => new MemoryStore(clock))
dueRowsSuite('due rows in SQLite', (clock) => new SqliteStore({ file: ':memory:', botId: 'bot', clock, log }))
