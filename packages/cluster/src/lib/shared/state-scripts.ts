import { deleteValueScript, listValuesScript, setValueScript } from '@botwright/framework/cluster'
import { script } from '../redis/scripts.ts'

/** 1: written; 0: it has another version; -1: the fence is gone. */
export const setValue = script<number>('state-set', setValueScript)

/** 1: deleted; 0: it was absent or has another version; -1: the fence is gone. */
export const deleteValue = script<number>('state-delete', deleteValueScript)

/** The name up to which it looked, empty at the end, and then names and values. */
export const listValues = script<string[]>('state-list', listValuesScript)
