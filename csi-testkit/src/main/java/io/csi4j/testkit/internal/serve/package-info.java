/** How the services of a fake plugin are reached. Internal to the testkit. */
@NullMarked
package io.csi4j.testkit.internal.serve;

import org.jspecify.annotations.NullMarked;
