// What the tests of hosts have too; `@_exported` is underscored, and the only way there is to hand a module on.
@_exported import StandIns
