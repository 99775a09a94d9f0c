"""MCP tool lists -> refactored schemas -> domain dictionary -> code -> verified environments.

Beside this file lies what others import: ``environment`` (a folder on disk and the session of a rollout),
``tool_environment``, ``gym_environment``, ``serving``, ``tool_lists``; ``runtime`` and ``computing*``, the only modules
that generated code may import; and ``build``, which puts the packages together. Each package imports from those
before it; those of one line need one another.

* ``language``: English words in names and descriptions
* ``domain``: entities, keys, fields, references of one server
* ``schemas``: plain JSON Schema 2020-12 out of what servers send
* ``sources``: where tool lists come from, and real servers that run
* ``computations``: the catalogue of pure computations
* ``meanings``, ``doubts``, ``facts``, ``seeding``, ``writing``: what a tool means, why it may not, what it tells, the
  first state, its code
* ``texts``: published schemas and descriptions
* ``checks``: verification by meaning
* ``joining``, ``variations``: environments out of several servers, and out of parts of them
* ``sandbox``: code from strangers in locked processes
* ``llm``: a model as the writer
* ``mutation``: faults put into code, to see whether checks find them
"""
