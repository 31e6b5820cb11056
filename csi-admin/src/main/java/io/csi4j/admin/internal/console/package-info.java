/** The pages for people: volumes with their holders and waiters, plugins, nodes, calls, the log, and the history of each volume. */
@NullMarked
package io.csi4j.admin.internal.console;

import org.jspecify.annotations.NullMarked;
