import { threadWide } from '../link/thread-wide.ts'

/**
 * `import()` of the file at a URL. `start-command.cjs` runs as a `vm.Script`, in which `import()` is experimental: it gets this one of the
 * file that loads it.
 */
export const importFile = threadWide(
  'import',
  () =>
    (url: string): Promise<unknown> =>
      import(/* @vite-ignore */ url),
)
