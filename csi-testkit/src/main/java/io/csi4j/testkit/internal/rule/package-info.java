/** What a request has to look like before a strict plugin looks at its meaning. Internal to the testkit. */
@NullMarked
package io.csi4j.testkit.internal.rule;

import org.jspecify.annotations.NullMarked;
