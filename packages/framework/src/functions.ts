export * from './features/functions/entry.ts'
