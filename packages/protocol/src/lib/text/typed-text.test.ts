import { expect, it } from 'vitest'
import { foldName, foldTyped } from './typed-text.ts'

it('folds the beginning of a name as the name: sigma has another form at the end of a word', () => {
  for (const fold of [foldName, foldTyped]) {
    expect(fold('Ασημίνα').startsWith(fold('Ασ'))).toBe(true)
    expect(fold('ΟΔΟΣ')).toBe(fold('οδός'.normalize('NFD').replace('\u0301', '')))
    expect(fold('ΟΔΟΣ')).toBe(fold('οδοσ'))
  }
})
