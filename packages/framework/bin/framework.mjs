#!/usr/bin/env node
import '../dist/joined/cli.js'
