/** The rules for the form of requests, which a strict plugin checks first. Internal to the testkit. */
@NullMarked
package io.csi4j.testkit.internal.rule;

import org.jspecify.annotations.NullMarked;
