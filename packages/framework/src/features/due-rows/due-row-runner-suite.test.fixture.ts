import { VirtualClock } from '@botwright/clock'
import { afterEach, describe, expect, test } from 'vitest'
import type { StateStore } from '../../author/ports.ts'
import { DueRowRunner, type DueRowRunnerOptions, RETRY_MS, type Work } from './due-row-runner.ts'

type Row = Awaited<ReturnType<StateStore['list']>>[number]

const PREFIX = 'job:'
const SECOND = 1000

/** The guarantees of the runner of due rows, on each store. `make` creates an empty store. */
export function dueRowsSuite(name: string, make: (clock: VirtualClock) => StateStore): void {
  describe(name, () => {
    const open: { stop(): Promise<void> }[] = []
    // Some work never ends.
    afterEach(() => open.splice(0).forEach((rows) => void rows.stop()))

    /** `work` gets the row and its `release`; without it, rows are deleted. */
    function rig(
      options: Partial<DueRowRunnerOptions<Row>> & { work?: (row: Row, release: () => void) => ReturnType<Work> },
    ) {
      const clock = new VirtualClock()
      const store = make(clock)
      const begun: string[] = []
      const lines: string[] = []
      const note = (_facts: object, line: string) => void lines.push(line)
      const remove = ({ key }: Row) => Promise.resolve(() => store.delete(key))
      const { work = remove, ...more } = options
      const start = () => {
        const rows: DueRowRunner<Row> = new DueRowRunner<Row>({
          ...{ clock, name: 'the jobs', log: { debug: note, info: note, warn: note, error: note } },
          list: (limit) => store.list(PREFIX, { limit }),
          dueMs: ({ key }) => Number(key.slice(PREFIX.length, PREFIX.length + 15)),
          begin: async (row) => {
            if (row.value === 'claimed' && !rows.mayBeOwn(row.key)) return Infinity
            const write = () => store.set(row.key, 'claimed', { expected: row.version })
            const claimed = await rows.claim(row.key, write, async () => {})
            if (!claimed) return undefined
            begun.push(row.key.slice(PREFIX.length + 16))
            return (release) => work(row, release)
          },
          failed: ({ key }, { message }) => void lines.push(`${key.slice(PREFIX.length + 16)} failed: ${message}`),
          refused: ({ key }, { message }) => void lines.push(`${key.slice(PREFIX.length + 16)} refused: ${message}`),
          ...more,
        })
        open.push(rows)
        rows.look()
        return rows
      }
      const add = (id: string, ms = 0) =>
        store.set(`${PREFIX}${String(clock.now() + ms).padStart(15, '0')}:${id}`, 'waiting')
      /** When the store has answered, it has done all earlier requests. */
      const settle = async () => {
        for (let i = 0; i < 10; i++) {
          await store.get('none')
          await new Promise((resolve) => setImmediate(resolve))
        }
      }
      const advance = (ms: number) => clock.advance(ms, settle)
      return { clock, store, begun, lines, start, add, advance, left: () => store.list(PREFIX) }
    }

    test('rows begin at their time, in its order', async () => {
      const { begun, start, add, advance, left } = rig({})
      await add('second', 2 * SECOND)
      await add('first', SECOND)
      start()
      await advance(SECOND - 1)
      expect(begun).toEqual([])
      await advance(1)
      expect(begun).toEqual(['first'])
      await advance(SECOND)
      expect(begun).toEqual(['first', 'second'])
      expect(await left()).toEqual([])
    })

    test('a look finds new rows', async () => {
      const { begun, start, add, advance } = rig({})
      const rows = start()
      await advance(0)
      await add('new', SECOND)
      rows.look()
      await advance(SECOND)
      expect(begun).toEqual(['new'])
    })

    test('work on many rows has a limit', async () => {
      const ends: (() => void)[] = []
      const { store, begun, start, add, advance } = rig({
        concurrent: 2,
        work: ({ key }) => new Promise((resolve) => ends.push(() => resolve(() => store.delete(key)))),
      })
      for (let i = 0; i < 5; i++) await add(`${i}`, i)
      const rows = start()
      await advance(SECOND)
      expect(begun).toEqual(['0', '1'])
      expect(rows.working).toBe(2)
      ends[1]!()
      await advance(0)
      expect(begun).toEqual(['0', '1', '2'])
    })

    test('work that releases its place does not block others', async () => {
      const { clock, begun, start, add, advance } = rig({
        concurrent: 2,
        work: (_, release) => new Promise(() => void clock.after(SECOND, release)),
      })
      for (let i = 0; i < 5; i++) await add(`${i}`)
      start()
      await advance(0)
      expect(begun).toHaveLength(2)
      await advance(2 * SECOND)
      expect(begun).toHaveLength(5)
    })

    test('rows that wait for something else block no others, and begin again with the next look', async () => {
      let waits = true
      const begun: string[] = []
      const { store, start, add, advance } = rig({
        concurrent: 2,
        begin: async ({ key }) => {
          if (waits && key.includes('waits')) return Infinity
          begun.push(key.slice(PREFIX.length + 16))
          return async () => () => store.delete(key)
        },
      })
      for (let i = 0; i < 9; i++) await add(`waits${i}`)
      await add('fine', 1)
      const rows = start()
      await advance(SECOND)
      expect(begun).toEqual(['fine'])
      waits = false
      rows.look()
      await advance(0)
      expect(begun).toHaveLength(10)
    })

    test('a row that has changed is read again at once', async () => {
      const { store, begun, start, add, advance } = rig({
        begin: async ({ key, value }) => {
          if (value === 'waiting') return void (await store.set(key, 'changed'))
          begun.push(key.slice(PREFIX.length + 16))
          return () => store.delete(key).then(() => undefined)
        },
      })
      await add('x')
      start()
      await advance(0)
      expect(begun).toEqual(['x'])
    })

    test('a row that is written while the rows are read begins', async () => {
      const { store, begun, start, add, advance } = rig({})
      const list = store.list.bind(store)
      store.list = async (...args) => {
        store.list = list
        const found = await list(...args)
        await add('new')
        rows.look()
        return found
      }
      const rows = start()
      await advance(0)
      expect(begun).toEqual(['new'])
    })

    test('a row that was deleted and is written again does not rest', async () => {
      const { begun, start, add, advance } = rig({ restMs: 10 * SECOND })
      const rows = start()
      for (let i = 0; i < 2; i++) {
        await add('x')
        rows.look()
        await advance(0)
      }
      expect(begun).toEqual(['x', 'x'])
    })

    test('a row that remains after its work begins again after its rest', async () => {
      const { store, begun, start, add, advance } = rig({
        restMs: 10 * SECOND,
        work: async ({ key }) => void (await store.set(key, 'waiting')),
      })
      await add('stays')
      const rows = start()
      await advance(SECOND)
      rows.look()
      await advance(9 * SECOND - 1)
      expect(begun).toHaveLength(1)
      await advance(1)
      expect(begun).toHaveLength(2)
      rows.reset()
      await advance(0)
      expect(begun).toHaveLength(3)
    })

    test('a row whose work fails is reported and begins again later', async () => {
      const { store, begun, lines, start, add, advance, left } = rig({
        work: async ({ key }) => {
          await store.set(key, 'waiting')
          if (begun.length === 1) throw new Error('no tea')
          return () => store.delete(key)
        },
      })
      await add('x')
      start()
      await advance(RETRY_MS - 1)
      expect(begun).toEqual(['x'])
      await advance(1)
      expect(begun).toEqual(['x', 'x'])
      expect(lines).toEqual(['x failed: no tea'])
      expect(await left()).toEqual([])
    })

    test('a result that cannot be stored is stored later; until then the row does not begin again, and blocks no others', async () => {
      const { store, begun, lines, start, add, advance, left } = rig({ concurrent: 2 })
      const remove = store.delete.bind(store)
      store.delete = () => Promise.reject(new Error('full'))
      for (let i = 0; i < 3; i++) await add(`${i}`)
      start()
      await advance(2 * RETRY_MS)
      expect(begun).toEqual(['0', '1', '2'])
      expect(lines).toEqual(['0 refused: full', '1 refused: full', '2 refused: full'])
      store.delete = remove
      await advance(RETRY_MS)
      expect(begun).toHaveLength(3)
      expect(await left()).toEqual([])
    })

    test('a poll reads one row, and finds one that another process has written', async () => {
      const limits: number[] = []
      let listed = () => {}
      const { begun, start, add, store } = rig({
        pollMs: 1,
        list: (limit) => {
          limits.push(limit)
          listed()
          return store.list(PREFIX, { limit })
        },
      })
      const until = async (isTrue: () => boolean) => {
        while (!isTrue()) await new Promise<void>((resolve) => (listed = resolve))
      }
      for (let i = 0; i < 20; i++) await add(`later${i}`, SECOND)
      start()
      await until(() => limits.length === 5)
      expect(limits).toEqual([51, 1, 1, 1, 1])
      await add('new')
      await until(() => begun.length === 1)
      expect(begun).toEqual(['new'])
    })

    test.each(['goes on', 'ends'])(
      'a result that cannot be stored at a stop is stored later if the process %s',
      async (how) => {
        let fails = true
        const { start, add, advance, left, store } = rig({
          work:
            async ({ key }) =>
            async () => {
              if (fails) throw new Error('the memory is full')
              return store.delete(key)
            },
        })
        await add('first')
        const rows = start()
        await advance(0)
        const ends = new AbortController()
        const stopped = rows.stop(how === 'goes on' ? ends.signal : undefined)
        await advance(RETRY_MS)
        fails = false
        await advance(RETRY_MS)
        await stopped
        expect(await left()).toHaveLength(how === 'goes on' ? 0 : 1)
      },
    )

    test('the writes of results end with the process', async () => {
      const { clock, start, add, advance } = rig({
        work: async () => () => Promise.reject(new Error('the memory is full')),
      })
      await add('first')
      const rows = start()
      await advance(0)
      const ends = new AbortController()
      const stopped = rows.stop(ends.signal)
      await advance(3 * RETRY_MS)
      ends.abort()
      await stopped
      expect(clock.waiting).toBe(0)
    })

    test('a row that cannot begin keeps no other from beginning, and is reported once', async () => {
      const begun: string[] = []
      const { lines, start, add, advance, store } = rig({
        concurrent: 1,
        begin: async ({ key }) => {
          const id = key.slice(PREFIX.length + 16)
          if (id.startsWith('bad')) throw new Error('a damaged row')
          begun.push(id)
          return async () => () => store.delete(key)
        },
      })
      for (const id of ['bad', 'bad too', 'good', 'good too']) await add(id)
      start()
      await advance(0)
      expect(begun).toEqual(['good', 'good too'])
      await advance(10 * RETRY_MS)
      expect(lines).toEqual(['the jobs cannot begin (a damaged row); trying again'])
    })

    test('a store that cannot be read is reported once, and read again', async () => {
      const { store, begun, lines, start, add, advance } = rig({})
      const list = store.list.bind(store)
      store.list = () => Promise.reject(new Error('away'))
      await add('x')
      start()
      await advance(3 * RETRY_MS)
      expect(lines).toEqual(['the jobs cannot be read (away); trying again'])
      store.list = list
      await advance(RETRY_MS)
      expect(begun).toEqual(['x'])
    })

    test.each([true, false])('a claim that fails is repeated; stored all the same: %s', async (isDone) => {
      const { store, start, add, advance } = rig({})
      const set = store.set.bind(store)
      await add('x')
      store.set = async (...args) => {
        store.set = set
        if (isDone) await set(...args)
        throw new Error('no connection')
      }
      const rows = start()
      await advance(0)
      const [{ key }] = (await store.list(PREFIX)) as [Row]
      expect(rows.mayBeOwn(key)).toBe(true)
      await advance(RETRY_MS)
      expect(rows.mayBeOwn(key)).toBe(false)
      expect(await store.list(PREFIX)).toEqual([])
    })

    test('of two processes, one claims a row', async () => {
      const { begun, start, add, advance } = rig({})
      await add('x', SECOND)
      start()
      start()
      await advance(2 * SECOND)
      expect(begun).toEqual(['x'])
    })

    test('a result that cannot be stored when the rows are stopped is given up', async () => {
      let end!: () => void
      const { lines, start, add, advance } = rig({
        work: () => new Promise((resolve) => (end = () => resolve(() => Promise.reject(new Error('closed'))))),
      })
      await add('x')
      const rows = start()
      await advance(0)
      const stopped = rows.stop()
      end()
      await stopped
      expect(lines).toEqual([])
    })

    test('stop waits for the work and its result, and begins nothing more', async () => {
      let end!: () => void
      const { store, begun, start, add, advance, left } = rig({
        work: ({ key }) => new Promise((resolve) => (end = () => resolve(() => store.delete(key)))),
      })
      await add('x')
      await add('later', SECOND)
      const rows = start()
      await advance(0)
      let hasStopped = false
      const stopped = rows.stop().then(() => (hasStopped = true))
      await advance(2 * SECOND)
      expect(hasStopped).toBe(false)
      end()
      await stopped
      expect(begun).toEqual(['x'])
      expect(await left()).toHaveLength(1)
      expect(rows.working).toBe(0)
    })

    test('a row that is being claimed when the rows are stopped begins, and one that is read does not', async () => {
      const { store, begun, lines, start, add, advance } = rig({ work: () => Promise.reject(new Error('stopped')) })
      const { set } = store
      for (let i = 0; i < 3; i++) await add(`${i}`)
      store.set = async (...args) => {
        void rows.stop()
        return set.apply(store, args)
      }
      const rows = start()
      await advance(0)
      expect(begun).toEqual(['0'])
      expect(lines).toEqual([])
      expect(await rows.claim('x', expect.fail, expect.fail)).toBe(false)
    })
  })
}
