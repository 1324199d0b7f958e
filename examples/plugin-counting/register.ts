import type counting from './plugin.ts'

declare module '@botwright/framework' {
  interface Register {
    plugin: typeof counting
  }
}
