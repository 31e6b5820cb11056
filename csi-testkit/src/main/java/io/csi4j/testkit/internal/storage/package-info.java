/** The storage behind a fake plugin: what its controller knows to be true. Internal to the testkit. */
@NullMarked
package io.csi4j.testkit.internal.storage;

import org.jspecify.annotations.NullMarked;
