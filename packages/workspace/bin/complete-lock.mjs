#!/usr/bin/env node
import '../dist/complete-lock.js'
