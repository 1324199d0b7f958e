/** What to do about a disk that takes no more, by the code of its refusal. */
export const noRoom = {
  ENOSPC: 'the disk is full: free some space',
  EDQUOT: 'the disk quota of this user is used up: free some space',
}

const refusals: Readonly<Partial<Record<string, string>>> = {
  ...noRoom,
  EISDIR: 'it is a folder: give the path of a file',
  EROFS: 'the disk is read-only: make it writable',
  EACCES: 'permission denied: give the user of this process access',
  EPERM: 'permission denied: give the user of this process access',
}

/** A disk that refuses, with the path, the fact and the fix; undefined for any other error. */
export function diskTrouble(error: unknown, folder: string): string | undefined {
  const { code = '', path = folder, syscall = '' } = (error ?? {}) as NodeJS.ErrnoException
  const refusal = refusals[code]
  // The same codes come from watching files, from ports and from programs.
  const isDisk = /^(?:open|write|mkdir|mkdtemp|rename|rmdir|unlink|rm|scandir|opendir|copyfile|symlink)$/.test(syscall)
  return refusal === undefined || !isDisk ? undefined : `${path}: ${refusal} (${syscall}: ${code})`
}
