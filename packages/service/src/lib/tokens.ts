import { createHash, randomBytes, randomUUID } from 'node:crypto'

/** A new secret: 32 random bytes. It is shown once; only its hash is stored. */
export const newToken = (): string => randomBytes(32).toString('base64url')
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex')
export const newId = (): string => randomUUID()
