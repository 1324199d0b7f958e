/** A vitest project: tests that need the same things. The ending of a test's file selects it. */
export interface Project {
  ending: string
  /** `guard.ts` fails a test of this project that starts one of these. */
  forbidden: readonly (keyof typeof resources)[]
  /** Whether each file loads the packages' sources anew, in a process of its own. */
  isolate: boolean
  /** The file, next to this one, that starts what all files of a run share. */
  setup?: string
}

/** Processes, threads and ports, by the channel of `node:diagnostics_channel` that reports them. `ending`: of the tests that may start them. */
export const resources = {
  child_process: { did: 'started a process', ending: '.program.test.ts' },
  worker_threads: { did: 'started a thread', ending: '.live.test.ts' },
  'tracing:net.server.listen:asyncStart': { did: 'opened a port', ending: '.live.test.ts' },
} as const

/** The projects of the packages' own tests. The project `bots` has its own folders: `examples` and `packages/workspace/tests`. */
export const projects = {
  /** Starts processes, such as the program `framework`. */
  program: { ending: '.program.test.ts', forbidden: [], isolate: false },
  /** Opens pages in the Chromium that `chromium.ts` starts. */
  browser: { ending: '.browser.test.ts', forbidden: [], isolate: false, setup: 'chromium.ts' },
  /** Starts Redis. */
  redis: { ending: '.redis.test.ts', forbidden: [], isolate: false },
  /** Replaces modules of Node, or reads what a whole process has learned or run. */
  isolated: { ending: '.isolated.test.ts', forbidden: ['child_process'], isolate: true },
  /** Opens ports, starts threads or waits in real time, all in this process. */
  live: { ending: '.live.test.ts', forbidden: ['child_process'], isolate: false },
  /** Starts nothing and waits for nothing. */
  unit: {
    ending: '.test.ts',
    forbidden: ['child_process', 'worker_threads', 'tracing:net.server.listen:asyncStart'],
    isolate: false,
  },
} as const satisfies Record<string, Project>
